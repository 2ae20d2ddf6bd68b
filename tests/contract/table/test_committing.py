"""Group commit on both databases: whose entry the log has already is told so, and next to nobody else notices."""

import asyncio
import uuid
from contextlib import asynccontextmanager

from sqlalchemy.exc import IntegrityError

from mahjong_engine.action import PASS
from mahjong_engine.tile import Seat
from mahjong_kit.metrics import ServiceMetrics
from mahjong_table.clock import WallClock
from mahjong_table.committer import Committer
from mahjong_table.core.entry import Answered
from mahjong_table.metrics import TableMetrics
from mahjong_table.store.group_commit import _entry_row
from mahjong_table.store.log import Written
from tests.contract.table.test_store import STARTED, open_stores
from tests.kit.table_log import log_of

ANSWER = Answered(Seat(0), "0.0.1", PASS, 7, 0, 0)


class Commits:
    """A committer over a log whose transactions are counted."""

    def __init__(self, log):
        self.count = 0
        self._commit, log.commit = log.commit, self._counted
        clock, metrics = WallClock(), TableMetrics(ServiceMetrics("table"))
        self.committer = Committer(log, clock, metrics, lambda: True, linger_s=0, tables_max=64)

    async def _counted(self, appends, now):
        self.count += 1
        return await self._commit(appends, now)

    async def written(self, appends):
        """Hands in appends at the same time; returns what became of each."""
        outcomes = [asyncio.get_running_loop().create_future() for _ in appends]
        for append, outcome in zip(appends, outcomes, strict=True):
            self.committer.submit(append, outcome.set_result)
        async with asyncio.timeout(60):
            return await asyncio.gather(*outcomes)


@asynccontextmanager
async def committing(dsn):
    """Gives stores and a committer over them that runs."""
    async with open_stores(dsn) as stores:
        commits = Commits(stores.log)
        running = asyncio.create_task(commits.committer.run())
        try:
            yield stores, commits
        finally:
            running.cancel()


async def test_a_known_request_id_costs_the_others_one_more_commit(database_dsn):
    async with committing(database_dsn) as (stores, commits):
        tables = [await stores.open() for _ in range(8)]
        reused = str(uuid.uuid4())
        await commits.written([stores.append(tables[3], ANSWER, request_id=reused)])
        commits.count = 0
        appends = [stores.append(table, STARTED, request_id=str(uuid.uuid4())) for table in tables]
        appends[3] = stores.append(tables[3], ANSWER, first=2, request_id=reused)
        written = await commits.written(appends)
        assert isinstance(written[3], IntegrityError)
        assert [outcome for outcome in written if outcome is not written[3]] == [Written.COMMITTED] * 7
        assert commits.count == 2
        for append in appends:
            entries = await log_of(stores.log, append.table_id)
            assert len(entries) == 1
            assert entries[0].what == (ANSWER if append is appends[3] else STARTED)


async def test_entries_that_are_all_known_are_all_told_so(database_dsn):
    async with committing(database_dsn) as (stores, commits):
        appends = [stores.append(await stores.open(), STARTED) for _ in range(3)]
        assert await commits.written(appends) == [Written.COMMITTED] * 3
        assert all(isinstance(outcome, IntegrityError) for outcome in await commits.written(appends))


async def test_an_entry_that_can_not_be_written_for_another_reason_hinders_nobody(database_dsn, monkeypatch):
    async with committing(database_dsn) as (stores, commits):
        appends = [stores.append(await stores.open(), STARTED) for _ in range(3)]
        broken = appends[1].table_id

        def row(append, entry, made=_entry_row):
            return (*made(append, entry)[:-1], None) if append.table_id == broken else made(append, entry)

        monkeypatch.setattr("mahjong_table.store.group_commit._entry_row", row)
        one, other, third = await commits.written(appends)
        assert (one, third) == (Written.COMMITTED, Written.COMMITTED)
        assert isinstance(other, IntegrityError)
