"""One wave over a pool that grows: its cost, and its tables beside the best possible ones."""

import random
import time
from collections.abc import Sequence

from loadtests.matchmaker.figures import best_spreads, quantile, spread
from mahjong_matchmaker.ticket import WaitingTicket
from mahjong_matchmaker.waves import WaveRules, plan

RULES = WaveRules(fill_after_ms=15_000)
_NOW_MS = 15_000


def population(count: int, chance: random.Random) -> list[WaitingTicket]:
    """Returns tickets of people by a normal distribution of ratings, who came evenly over the last fill time."""
    ratings = [round(chance.gauss(1500, 250)) for _ in range(count)]
    return [
        WaitingTicket(f"t{index}", f"p{index}", "", index * _NOW_MS // count, _NOW_MS, rating)
        for index, rating in enumerate(ratings)
    ]


def run(counts: Sequence[int]) -> None:
    """Prints a line for each size of the pool."""
    print("waves: one wave over so many waiting tickets, ratings normal (1500, 250), ages 0-15 s")
    print("  tickets   wave       tickets/s   per ticket   spread p50 / p99 / mean   best p50 / p99 / mean")
    for count in counts:
        tickets = population(count, random.Random(count))
        started = time.perf_counter()
        wave = plan(tickets, _NOW_MS, RULES)
        took_s = time.perf_counter() - started
        spreads = [spread([one.rating for one in group]) for group in wave.groups if len(group) > 1]
        best = best_spreads([one.rating for one in tickets])
        print(
            f"  {count:7}  {took_s * 1000:7.1f} ms  {count / took_s:9.0f}  {took_s / count * 1e6:7.1f} us"
            f"    {_told(spreads)}      {_told(best)}"
        )


def _told(spreads: Sequence[float]) -> str:
    mean = sum(spreads) / max(len(spreads), 1)
    return f"{quantile(spreads, 0.5):5.0f} / {quantile(spreads, 0.99):4.0f} / {mean:5.1f}"
