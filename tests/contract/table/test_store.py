"""The decision log on both databases: one commit, all or nothing, behind the epoch fence."""

import asyncio
import uuid
from contextlib import asynccontextmanager

import pytest
from sqlalchemy import insert, select
from sqlalchemy.exc import IntegrityError

from mahjong_engine.action import PASS
from mahjong_engine.match import MatchLength
from mahjong_engine.tile import Seat
from mahjong_kit.sql import open_database
from mahjong_table import migrations
from mahjong_table.core.clock import Clock
from mahjong_table.core.entry import (
    Abandoned,
    Answered,
    Entry,
    HandStarted,
    NonceGiven,
    ResultConfirmed,
    TimeCredited,
)
from mahjong_table.core.state import Opening
from mahjong_table.core.terms import Level, Occupant, TableKind, Terms
from mahjong_table.ownership.survey import WorkerSeen
from mahjong_table.shards import SHARD_COUNT, shard_of
from mahjong_table.store.append import Append, FinalView, Report
from mahjong_table.store.connection import writing
from mahjong_table.store.group_commit import _ENTRIES, _entry_row
from mahjong_table.store.log import ENTRIES, SHARDS, Log, Written
from mahjong_table.store.open_tables import (
    AlreadySeatedError,
    CapacityError,
    FencedError,
    MatchIdReusedError,
    Wanted,
)
from mahjong_table.store.outbox import Outbox
from mahjong_table.store.retention import Retention
from mahjong_table.store.shards import Shards
from mahjong_table.store.tables import Tables
from tests.kit.table_log import log_of

LEASE_MS = 6_000
NONCES = (bytes(32),) * 4
STARTED = HandStarted(0, 0, 0, (2000,) * 4, NONCES, (1, 0, 0, 0), (), 0)


def opening(table_id=None, **changed):
    player = Occupant("Player", player_id=str(uuid.uuid4()))
    computers = tuple(Occupant("Computer", level=Level.BASIC) for _ in range(3))
    fields = {
        "match_id": str(uuid.uuid4()),
        "rule_set": "classical",
        "clock": Clock.STANDARD,
        "length": MatchLength.FULL,
        "kind": TableKind.PRACTICE,
        "occupants": (player, *computers),
    }
    return Opening(table_id or str(uuid.uuid4()), Terms(**(fields | changed)), bytes(80), 1_000, 3_000, 10_000)


class Stores:
    """All stores over one database, with every shard claimed."""

    def __init__(self, database):
        self.database = database
        self.log = Log(database)
        self.tables = Tables(database)
        self.shards = Shards(database)
        self.outbox = Outbox(database)
        self.epochs = {}

    async def claim(self, worker_id="worker-1", now=1_000):
        """Takes every shard; a worker that was there before, at the same address, is gone."""
        await self.shards.join(WorkerSeen(worker_id, "127.0.0.1:7003", 0, now))
        claimed = await self.shards.claim(worker_id, range(SHARD_COUNT), LEASE_MS)
        self.epochs = {claim.shard: claim.epoch for claim in claimed}
        return claimed

    async def open(self, opened=None):
        opened = opened or opening()
        shard = shard_of(opened.table_id)
        assert await self.open_table(opened, shard, self.epochs[shard]) == opened.table_id
        return opened

    async def live_tables(self):
        return [loaded async for loaded in self.tables.live_tables(self.epochs)]

    async def open_table(self, opened, shard, epoch, *, is_full=False):
        (outcome,) = await self.tables.open_tables([Wanted(opened, shard, epoch, is_full)])
        return outcome

    def append(self, opened, *what, first=1, epoch=None, request_id=None, **more):
        shard = shard_of(opened.table_id)
        entries = [Entry(first + i, 2_000 + i, w, request_id if i == 0 else None) for i, w in enumerate(what)]
        return Append(opened.table_id, opened.terms, shard, epoch or self.epochs[shard], entries, **more)


@pytest.fixture
async def stores(database_dsn):
    async with open_stores(database_dsn) as opened:
        yield opened


@asynccontextmanager
async def open_stores(dsn):
    async with open_database(dsn, migrations) as database:
        stores = Stores(database)
        await stores.claim()
        yield stores


async def test_entries_come_back_as_they_were_written(stores):
    opened = await stores.open()
    what = [
        NonceGiven(Seat(0), bytes(range(32))),
        STARTED,
        Answered(Seat(0), "0.0.1", PASS, 7, 1_500, 400, timeout=True),
        ResultConfirmed(Seat(0), 0),
        TimeCredited(-5),
        Abandoned(None),
        Abandoned(Seat(0)),
    ]
    append = stores.append(opened, *what)
    assert await stores.log.commit([append], 2_000) == [Written.COMMITTED]
    assert await log_of(stores.log, opened.table_id) == list(append.entries)
    assert await log_of(stores.log, opened.table_id, 5) == list(append.entries)[5:]


async def test_an_append_under_an_old_epoch_is_fenced_and_the_others_are_written(stores):
    mine, taken = await stores.open(), await stores.open()
    shard = shard_of(taken.table_id)
    appends = [stores.append(mine, STARTED), stores.append(taken, STARTED, epoch=stores.epochs[shard] - 1 or 99)]
    assert await stores.log.commit(appends, 2_000) == [Written.COMMITTED, Written.FENCED]
    assert len(await log_of(stores.log, mine.table_id)) == 1
    assert await log_of(stores.log, taken.table_id) == []


async def test_a_claim_raises_every_epoch_and_fences_whoever_owned_the_shards(stores):
    opened = await stores.open()
    old = stores.append(opened, STARTED)
    before = dict(stores.epochs)
    claimed = await stores.claim("worker-2", now=9_000)
    assert len(claimed) == SHARD_COUNT
    assert all(claim.epoch > before[claim.shard] for claim in claimed)
    assert {claim.stopped_at for claim in claimed} == {1_000}
    assert await stores.log.commit([old], 2_000) == [Written.FENCED]
    assert isinstance(await stores.open_table(opening(opened.table_id), old.shard, old.epoch), FencedError)


async def test_a_sequence_is_written_once(stores):
    opened = await stores.open()
    await stores.log.commit([stores.append(opened, STARTED)], 2_000)
    with pytest.raises(IntegrityError):
        await stores.log.commit([stores.append(opened, TimeCredited(1))], 2_000)
    (entry,) = await log_of(stores.log, opened.table_id)
    assert entry.what == STARTED


async def test_a_request_id_is_written_once_a_table(stores):
    one, two = await stores.open(), await stores.open()
    answer = Answered(Seat(0), "0.0.1", PASS, 7, 0, 0)
    request_id = str(uuid.uuid4())
    await stores.log.commit([stores.append(one, answer, request_id=request_id)], 2_000)
    await stores.log.commit([stores.append(two, answer, request_id=request_id)], 2_000)
    with pytest.raises(IntegrityError):
        await stores.log.commit([stores.append(one, answer, first=2, request_id=request_id)], 2_000)
    found = await stores.log.entry_of_request(one.table_id, request_id)
    assert found.what == answer
    assert await stores.log.entry_of_request(one.table_id, str(uuid.uuid4())) is None


async def test_reports_are_written_with_their_entries_or_not_at_all(stores):
    opened = await stores.open()
    report = Report("store_hand", b"a hand")
    await stores.log.commit([stores.append(opened, STARTED, reports=[report])], 2_000)
    with pytest.raises(IntegrityError):
        await stores.log.commit([stores.append(opened, STARTED, reports=[Report("store_hand", b"no hand")])], 2_000)
    (waiting,) = await stores.outbox.waiting(0, 10, "worker-1")
    assert (waiting.match_id, waiting.kind, waiting.body) == (opened.terms.match_id, "store_hand", b"a hand")
    assert await stores.outbox.backlog() == (1, 2_000)
    await stores.outbox.mark_delivered([waiting.report_id], 3_000)
    assert await stores.outbox.waiting(0, 10, "worker-1") == []
    assert await stores.outbox.backlog() == (0, None)
    await stores.outbox.forget_delivered(4_000)


async def test_loading_starts_at_the_present_hand(stores):
    opened = await stores.open()
    append = stores.append(opened, NonceGiven(Seat(0), bytes(32)), STARTED, TimeCredited(5), load_sequence=2)
    await stores.log.commit([append], 2_000)
    (loaded,) = await stores.live_tables()
    assert loaded.opening == opened
    assert [entry.sequence for entry in loaded.entries] == [2, 3]
    assert await stores.tables.load_table(opened.table_id) == loaded


async def test_an_ended_table_frees_its_players_and_keeps_its_last_view(stores):
    opened = await stores.open()
    player = opened.terms.occupants[0].player_id
    assert (await stores.tables.table_of_player(player)).table_id == opened.table_id
    final = FinalView(Seat(0), player, 12, b"how it ended")
    await stores.log.commit([stores.append(opened, Abandoned(Seat(0)), final_views=[final])], 2_000)
    assert await stores.live_tables() == []
    assert await stores.tables.load_table(opened.table_id) is None
    assert await stores.tables.table_of_player(player) is None
    assert await stores.tables.final_view(opened.table_id, player) == final
    assert not (await stores.tables.find_table(opened.table_id)).is_live


async def test_an_ended_table_goes_when_its_time_is_over_and_its_reports_are_delivered(stores):
    retention = Retention(stores.database)
    tables = [await stores.open() for _ in range(3)]
    for number, opened in enumerate(tables):
        player = opened.terms.occupants[0].player_id
        ended = stores.append(
            *(opened, Abandoned(Seat(0))),
            final_views=[FinalView(Seat(0), player, 12, b"how it ended")],
            reports=[Report("finish_match", b"the end")] if number == 0 else [],
        )
        await stores.log.commit([ended], 2_000 + number)
    live = await stores.open()
    await stores.log.commit([stores.append(live, STARTED)], 2_000)
    reported, old, recent = tables
    assert not await retention.forget_ended(2_002, "worker-1")
    assert await stores.tables.find_table(old.table_id) is None
    assert await stores.tables.final_view(old.table_id, old.terms.occupants[0].player_id) is None
    assert await log_of(stores.log, old.table_id) == []
    for kept in (reported, recent, live):
        assert await stores.tables.find_table(kept.table_id) is not None
        assert await log_of(stores.log, kept.table_id)
    (waiting,) = await stores.outbox.waiting(0, 10, "worker-1")
    await stores.outbox.mark_delivered([waiting.report_id], 3_000)
    await retention.forget_ended(2_002, "worker-2")  # Not its shards.
    assert await stores.tables.find_table(reported.table_id) is not None
    await retention.forget_ended(2_002, "worker-1")
    assert await stores.tables.find_table(reported.table_id) is None
    assert await stores.tables.find_table(live.table_id) is not None


async def test_a_match_has_one_table_and_a_player_one_seat(stores):
    opened = await stores.open()
    again = opening(match_id=opened.terms.match_id, occupants=opened.terms.occupants)
    shard = shard_of(again.table_id)
    epoch = stores.epochs[shard]
    assert await stores.open_table(again, shard, epoch, is_full=True) == opened.table_id
    other_terms = opening(match_id=opened.terms.match_id)
    assert isinstance(await stores.open_table(other_terms, shard, epoch), MatchIdReusedError)
    elsewhere = await stores.open_table(opening(occupants=opened.terms.occupants), shard, epoch)
    assert isinstance(elsewhere, AlreadySeatedError)
    assert elsewhere.table_id == opened.table_id
    assert isinstance(await stores.open_table(opening(), shard, epoch, is_full=True), CapacityError)


async def test_tables_that_are_opened_together_come_to_what_each_comes_to(stores):
    first, other = opening(), opening()
    shard = shard_of(first.table_id)
    epoch = stores.epochs[shard]
    again = opening(match_id=first.terms.match_id, occupants=first.terms.occupants)
    elsewhere = opening(occupants=first.terms.occupants)
    wanted = [Wanted(o, shard, epoch, is_full=False) for o in (first, again, elsewhere, other)]
    one, same, seated, two = await stores.tables.open_tables(wanted)
    assert (one, same, two) == (first.table_id, first.table_id, other.table_id)
    assert seated.table_id == first.table_id
    assert {loaded.opening for loaded in await stores.live_tables()} == {first, other}


async def test_many_live_tables_are_loaded_each_with_its_own_entries(stores):
    opened = [await stores.open() for _ in range(70)]
    await stores.log.commit([stores.append(one, STARTED, TimeCredited(number)) for number, one in enumerate(opened)], 1)
    loaded = {found.opening: [entry.what for entry in found.entries] for found in await stores.live_tables()}
    assert loaded == {one: [STARTED, TimeCredited(number)] for number, one in enumerate(opened)}


async def test_a_claim_waits_for_a_commit_that_is_under_way_and_fences_the_next(postgres_dsn):
    """The order that the fence rests on: the claim's update waits for the shared lock of the commit."""
    async with open_stores(postgres_dsn) as mine, open_stores(postgres_dsn) as others:
        await mine.claim()
        opened = await mine.open()
        shard = shard_of(opened.table_id)
        async with mine.database.writing() as session:
            connection = await session.connection()
            await connection.exec_driver_sql(f"SELECT epoch FROM shard WHERE shard = {shard} FOR SHARE")
            claiming = asyncio.create_task(others.claim("worker-2"))
            done, _ = await asyncio.wait([claiming], timeout=0.3)
            assert not done
        await claiming
        assert await mine.log.commit([mine.append(opened, STARTED)], 2_000) == [Written.FENCED]


async def test_reading_the_log_after_a_failed_commit_waits_for_it_for_it_may_still_succeed(stores, database_dsn):
    opened = await stores.open()
    async with open_database(database_dsn, migrations) as other:  # The commit that was told to have failed goes on.
        async with writing(other) as late:
            append = stores.append(opened, STARTED)
            fence = select(SHARDS.c.epoch).where(SHARDS.c.shard == append.shard).with_for_update(read=True)
            await late.execute(fence)
            row = dict(zip(_ENTRIES.columns, _entry_row(append, append.entries[0]), strict=True))
            await late.execute(insert(ENTRIES), [row])
            reading = asyncio.create_task(log_of(stores.log, opened.table_id))
            done, _ = await asyncio.wait([reading], timeout=0.3)
            assert not done
        assert [entry.what for entry in await reading] == [STARTED]
