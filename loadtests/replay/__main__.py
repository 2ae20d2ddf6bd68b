"""Measures reading replays beside a bare key lookup, with few hands and with a million: `make bench-replay`.

The database is a real SQLite file, filled as `filling.py` says; the use cases are called in this process, without the
wire, so that what is compared is the store and the engine. Each figure is of calls one after another at random places.
"""

import argparse
import asyncio
import random
import sqlite3
import tempfile
import time
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from loadtests.replay.filling import HANDS_A_MATCH, Filled, fill
from loadtests.table.figures import percentile
from mahjong_kit.metrics import ServiceMetrics
from mahjong_kit.sql import open_database
from mahjong_replay import migrations
from mahjong_replay.disposal import Disposal
from mahjong_replay.examiner import Examiner
from mahjong_replay.filters import MatchFilter, MatchList
from mahjong_replay.metrics import ReplayMetrics
from mahjong_replay.opened import OpenHands
from mahjong_replay.service import ReplayService
from mahjong_replay.store import ReplayStore
from mahjong_replay.timeline import Timeline, timeline_of

CALLS = 400
_BARE = "SELECT record FROM played_hand WHERE match_id = ? AND hand_number = ?"


class Bench:
    """The use cases over one filled database."""

    def __init__(self, database: Any, path: Path, filled: Filled, threads: ThreadPoolExecutor) -> None:
        self.filled, self.path = filled, path
        self.store = ReplayStore(database)
        metrics = ReplayMetrics(ServiceMetrics("replay"))
        self.hands = OpenHands(self.store, threads, metrics, count_max=CALLS)
        self.replays = ReplayService(self.store, self.hands, Examiner(threads), Disposal(database), metrics)
        self.chance = random.Random(2)
        self.bare = sqlite3.connect(path)
        self.reader = filled.busy
        self.tokens = [""]
        self.opened: list[Timeline] = []

    def key(self) -> tuple[str, int]:
        return self.chance.choice(self.filled.matches), self.chance.randrange(HANDS_A_MATCH)

    async def bare_lookup(self) -> None:
        self.bare.execute(_BARE, self.key()).fetchone()

    async def lookup(self) -> None:
        await self.store.find_record(*self.key())

    async def page_of_somebody(self) -> None:
        player = self.chance.choice(self.filled.players)
        await self.replays.list_matches(MatchList(player, player), 20, "")

    async def deep_page(self) -> None:
        await self._page(MatchFilter(), self.chance.choice(self.tokens))

    async def by_rule_set(self) -> None:
        await self._page(MatchFilter(rule_set="taiwanese", table_kind="rated"))

    async def by_opponent(self) -> None:
        await self._page(MatchFilter(opponent_id=self.chance.choice(self.filled.players)))

    async def by_rare_award(self) -> None:
        await self._page(MatchFilter(award=self.filled.rare_award))

    async def _page(self, chosen: MatchFilter, token: str = "") -> None:
        await self.replays.list_matches(MatchList(self.reader, self.reader, chosen), 20, token)

    async def learn_tokens(self) -> None:
        listed = MatchList(self.reader, self.reader)
        while token := (await self.replays.list_matches(listed, 100, self.tokens[-1])).next_token:
            self.tokens.append(token)

    async def match(self) -> None:
        match_id, _ = self.key()
        found = await self.store.find_match(match_id)
        assert found is not None
        people = found.terms.player_ids
        await self.replays.find_match(match_id, people[0])

    async def open_cold(self) -> None:
        timeline = await self.hands.open(*self.key())
        assert timeline is not None
        await self.hands.moment(timeline, None, timeline.event_count - 1)
        self.opened.append(timeline)

    async def seek_seat(self) -> None:
        timeline = self.chance.choice(self.opened)
        timeline.moment(0, self.chance.randrange(timeline.event_count))

    async def seek_whole(self) -> None:
        timeline = self.chance.choice(self.opened)
        timeline.moment(None, self.chance.randrange(timeline.event_count))

    async def from_the_start(self) -> None:
        record_json = await self.store.find_record(*self.key())
        assert record_json is not None
        timeline_of(record_json)


async def measure(call: Callable[[], Awaitable[None]], calls: int) -> list[float]:
    """Returns the seconds of each call."""
    took = []
    for _ in range(calls):
        started = time.perf_counter()
        await call()
        took.append(time.perf_counter() - started)
    return took


async def run(path: Path, hands: int, calls: int) -> None:
    dsn = f"sqlite:///{path}"
    async with open_database(dsn, migrations):
        pass
    started = time.perf_counter()
    filled = fill(path, hands)
    size = path.stat().st_size / 1e6
    filling_s = time.perf_counter() - started
    print(f"\n{hands:,} hands of {len(filled.matches):,} matches: {size:,.0f} MB, filled in {filling_s:.0f} s")
    with ThreadPoolExecutor(1) as threads:
        async with open_database(dsn, migrations) as database:
            bench = Bench(database, path, filled, threads)
            await bench.learn_tokens()
            base = 0.0
            for name, call in (
                ("bare key lookup (sqlite3)", bench.bare_lookup),
                ("the store's key lookup", bench.lookup),
                ("first page of a player", bench.page_of_somebody),
                (f"any page of {len(bench.tokens) * 100:,} matches", bench.deep_page),
                ("  by rule set and kind", bench.by_rule_set),
                ("  by opponent (few or none)", bench.by_opponent),
                ("  by an award (one in 500)", bench.by_rare_award),
                ("match with its hands", bench.match),
                ("play a record from the start", bench.from_the_start),
                ("open a hand, show its end", bench.open_cold),
                ("seek, one seat", bench.seek_seat),
                ("seek, everybody's tiles", bench.seek_whole),
            ):
                took = await measure(call, calls)
                middle = percentile(took, 0.5)
                base = base or middle
                print(
                    f"  {name:<34}{1e6 * middle:>10,.0f} us{1e6 * percentile(took, 0.99):>10,.0f} us p99"
                    f"{middle / base:>10,.1f} lookups"
                )


def main() -> None:
    parser = argparse.ArgumentParser(prog="loadtests.replay", description=__doc__)
    parser.add_argument("--hands", type=int, nargs="+", default=[10_000, 1_000_000])
    parser.add_argument("--calls", type=int, default=CALLS)
    options = parser.parse_args()
    for hands in options.hands:
        with tempfile.TemporaryDirectory(prefix="mahjong-replay-") as directory:
            asyncio.run(run(Path(directory) / "replay.db", hands, options.calls))


if __name__ == "__main__":
    main()
