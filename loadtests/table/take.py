"""What it takes of a processor to take tables over in mid-hand, in one process without players: a busy machine changes
processor time far less than it changes pauses."""

import sqlite3
import tempfile
import time
from collections.abc import Awaitable
from contextlib import AsyncExitStack
from pathlib import Path
from random import Random
from uuid import UUID

import orjson
from sqlalchemy import update

from mahjong_engine.bots import decide
from mahjong_engine.match import MatchLength
from mahjong_engine.tile import Seat
from mahjong_engine.view import view
from mahjong_engine.wall import SERVER_SEED_SIZE
from mahjong_kit.auth import InternalTokens, Service
from mahjong_kit.metrics import ServiceMetrics
from mahjong_kit.redis import open_redis
from mahjong_kit.sql import Database, open_database
from mahjong_table import migrations
from mahjong_table.core.clock import Clock
from mahjong_table.core.decide import Answer, Instant, Received
from mahjong_table.core.draft import draft
from mahjong_table.core.entry import Entry
from mahjong_table.core.evolve import open_table
from mahjong_table.core.state import Opening
from mahjong_table.core.terms import Level, Occupant, TableKind, Terms
from mahjong_table.live import LiveTable
from mahjong_table.metrics import TableMetrics
from mahjong_table.peers import Peers
from mahjong_table.settings import TableSettings
from mahjong_table.shards import SHARD_COUNT, shard_of
from mahjong_table.store.append import Append
from mahjong_table.store.connection import writing
from mahjong_table.store.log import SHARDS, Log
from mahjong_table.store.open_tables import Wanted
from mahjong_table.store.tables import Tables
from mahjong_table.worker import Worker
from tests.kit.stores import valkey_server
from tests.kit.tokens import SERVICE_KEY
from tests.kit.waiting import until

_ANSWERS_MAX = 80
_TOGETHER = 64
_LIMIT_S = 300.0
_AWAY_MS = 5_000

Hand = tuple[Opening, list[Entry]]


async def measure(tables: int) -> int:
    """Takes tables three times: with nothing in Redis, after another worker, and built ahead."""
    now = round(time.time() * 1000) - _AWAY_MS
    hands = [_hand(Random(number), now) for number in range(tables)]
    entries = sum(len(log) for _, log in hands) / tables
    print(f"\ntake: {tables:,} tables of one person and three computers, {entries:.0f} entries into their hand, sqlite")
    with tempfile.TemporaryDirectory(prefix="mahjong-load-") as directory, valkey_server() as valkey:
        path = Path(directory, "table.db")
        settings = TableSettings.model_validate(
            {
                "port": 0,
                "metrics_port": 0,
                "service_key": SERVICE_KEY,
                "database_dsn": f"sqlite:///{path}",
                "redis_url": valkey.connection_url,
                "computer_min_ms": 600_000,  # Nobody plays.
                "computer_max_ms": 600_000,
            }
        )
        async with open_database(settings.database_dsn, migrations) as database:
            await _fill(database, hands, now)
        for name, is_built in (("with nothing in Redis", False), ("after another worker", False), ("again", True)):
            built_ms, taken_ms = await _take(settings, tables, is_built=is_built)
            ahead = f"built ahead {built_ms / tables:.2f} ms, then " if is_built else ""
            print(f"  {name}: {ahead}taken {taken_ms / tables:.2f} ms of a core a table")
        print(f"  bare reading of the same rows: {_bare_ms(path) / tables:.2f} ms of a core a table")
    return 0


def _hand(chance: Random, now: int) -> Hand:
    """Returns a table some answers into its first hand, all of it at one time."""
    ids = [str(UUID(int=chance.getrandbits(128), version=4)) for _ in range(3)]
    computers = (Occupant("Computer", level=Level.BASIC),) * 3
    terms = Terms(
        ids[1],
        "classical",
        Clock.RELAXED,
        MatchLength.FULL,
        TableKind.PRIVATE,
        (Occupant("Player", player_id=ids[2]), *computers),
    )
    opening = Opening(ids[0], terms, chance.randbytes(SERVER_SEED_SIZE), now, 0, 10_000)
    state, _ = open_table(opening)
    instant = Instant(now, 0, 0)
    played = draft(state, (), instant, ())
    log = [*played.entries]
    for _ in range(chance.randrange(_ANSWERS_MAX)):
        state = played.state
        asked = [question for question in state.questions if question is not None]
        if state.hand is None or not asked:
            break
        seat: Seat = asked[0].decision.seat
        answer = Answer(seat, asked[0].decision_id, decide("basic", view(state.hand, seat)))
        played = draft(state, [Received(answer, now)], instant, ())
        log += played.entries
    return opening, log


async def _fill(database: Database, hands: list[Hand], now: int) -> None:
    async with writing(database) as connection:
        await connection.execute(update(SHARDS).values(epoch=1))
    tables, log = Tables(database), Log(database)
    for start in range(0, len(hands), _TOGETHER):
        some = hands[start : start + _TOGETHER]
        await tables.open_tables([Wanted(o, shard_of(o.table_id), 1, is_full=False) for o, _ in some])
        await log.commit([Append(o.table_id, o.terms, shard_of(o.table_id), 1, entries, 1) for o, entries in some], now)


async def _take(settings: TableSettings, tables: int, *, is_built: bool) -> tuple[float, float]:
    """Returns what a worker used to build all tables ahead, and until all of them ran and Redis had them."""
    async with AsyncExitStack() as stack:
        database = await stack.enter_async_context(open_database(settings.database_dsn, migrations))
        client = await stack.enter_async_context(open_redis(settings.redis_url))
        peers = await stack.enter_async_context(Peers(InternalTokens(Service("table"), SERVICE_KEY), timeout_s=2))
        worker = Worker(settings, TableMetrics(ServiceMetrics("table")), database, client, {}, Random(1), peers)
        keeper = worker.keeper
        built_ms = await _used_ms(keeper.build_ahead(range(SHARD_COUNT if is_built else 0)))

        async def take() -> None:
            await stack.enter_async_context(worker.running(1))
            live = keeper.tables_of(range(SHARD_COUNT))
            assert len(live) == tables
            await until(
                lambda: all(
                    table.is_settled
                    and table.is_credited
                    and table.sent
                    and table.sent.sequence == table.state.sequence
                    for table in live
                ),
                _LIMIT_S,
                pause_s=0.1,
            )

        return built_ms, await _used_ms(take())


def _is_running(table: LiveTable) -> bool:
    return table.is_settled and table.is_credited and table.sent is not None and not table.audience.next_due


async def _used_ms(what: Awaitable[None]) -> float:
    before = time.process_time()
    await what
    return (time.process_time() - before) * 1000


def _bare_ms(path: Path) -> float:
    """Returns what it takes to read all entries and what they hold, and no more."""
    before = time.process_time()
    with sqlite3.connect(path) as connection:
        rows = connection.execute(
            "SELECT * FROM decision WHERE kind <> 'credit' ORDER BY table_id, sequence"
        ).fetchall()
    for row in rows:
        orjson.loads(row[-1])
    return (time.process_time() - before) * 1000
