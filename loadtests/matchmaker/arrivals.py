"""People who come as they do over a day, in virtual time: who waits how long, and how close the tables are."""

import heapq
import random
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field

from loadtests.matchmaker.figures import best_spreads, quantile, spread
from mahjong_matchmaker.ticket import WaitingTicket
from mahjong_matchmaker.waves import SEATS, Group, WaveRules, plan

RULES = WaveRules(fill_after_ms=15_000)
_WAVE_MS = 1_000
_DECILES = 10
_MATCH_MS = 25 * 60_000
"""How long a table keeps its people, before half of them queue again."""

Rate = Callable[[float], float]
"""New people a second, by the time in seconds."""

MODELS: Mapping[str, tuple[Rate, int]] = {
    "steady": (lambda _: 2.0, 1800),
    "rush hour": (lambda at: 1.0 + 19.0 * max(0.0, 1 - abs(at - 900) / 600), 1800),
    "thin night": (lambda _: 0.05, 6 * 3600),
}
"""Rate and length in seconds of each model."""


@dataclass
class Outcome:
    """What has become of the people of a model."""

    waits_s: list[tuple[int, float]] = field(default_factory=list)
    """Rating and wait of each person."""
    spreads: list[float] = field(default_factory=list)
    best: list[float] = field(default_factory=list)
    tables: int = 0
    with_computers: int = 0
    again: int = 0
    """Pairs who met again within an hour."""


def run() -> None:
    """Prints what becomes of each model."""
    for name, (rate, length_s) in MODELS.items():
        outcome = _simulate(rate, length_s, random.Random(name))
        waits = [wait for _, wait in outcome.waits_s]
        alone = outcome.with_computers / outcome.tables
        print(
            f"{name}: {len(waits)} people, {outcome.tables} tables, {alone:.0%} of them with computers;"
            f" wait p50 {quantile(waits, 0.5):.1f}, p90 {quantile(waits, 0.9):.1f},"
            f" max {max(waits):.1f} s"
        )
        print(
            f"  spread p50 {quantile(outcome.spreads, 0.5):.0f}, p90 {quantile(outcome.spreads, 0.9):.0f};"
            f" the best tables of those who came within 15 s: p50 {quantile(outcome.best, 0.5):.0f},"
            f" p90 {quantile(outcome.best, 0.9):.0f}; pairs who met again within the hour: {outcome.again}"
        )
        print(f"  wait p90 by decile of rating: {_by_decile(outcome)}")


def _by_decile(outcome: Outcome) -> str:
    ordered = sorted(outcome.waits_s)
    size = max(len(ordered) // _DECILES, 1)
    parts = (ordered[start : start + size] for start in range(0, size * _DECILES, size))
    return " ".join(f"{quantile([wait for _, wait in part], 0.9):.1f}" for part in parts)


def _simulate(rate: Rate, length_s: int, chance: random.Random) -> Outcome:
    """Runs waves once a second and whenever somebody joins, as a leader does; half of each table queues again."""
    outcome = Outcome()
    coming = [
        (at, round(chance.gauss(1500, 250)), f"p{number}") for number, at in enumerate(_times(rate, length_s, chance))
    ]
    heapq.heapify(coming)
    waiting: list[WaitingTicket] = []
    met: dict[str, dict[str, int]] = {}
    came: dict[int, list[int]] = {}
    now_ms = 0
    while (coming and coming[0][0] <= length_s * 1000) or waiting:
        next_wave = now_ms + _WAVE_MS
        now_ms = min(next_wave, max(coming[0][0], now_ms)) if coming else next_wave
        while coming and coming[0][0] <= now_ms:
            _, rating, player = heapq.heappop(coming)
            lately = frozenset(one for one, at in met.get(player, {}).items() if at > now_ms - 3_600_000)
            waiting.append(WaitingTicket(player, player, "", now_ms, 10**12, rating, met=lately))
            came.setdefault(now_ms // RULES.fill_after_ms, []).append(rating)
        wave = plan(waiting, now_ms, RULES)
        for group in wave.groups:
            _note(outcome, group, met, now_ms)
            for one in group:
                if chance.random() < 0.5:
                    heapq.heappush(coming, (now_ms + _MATCH_MS, one.rating, one.player_id))
        seated = {one.player_id for group in wave.groups for one in group}
        waiting = [one for one in waiting if one.player_id not in seated]
    outcome.best = [value for ratings in came.values() for value in best_spreads(ratings)]
    return outcome


def _note(outcome: Outcome, group: Group, met: dict[str, dict[str, int]], now_ms: int) -> None:
    outcome.tables += 1
    outcome.with_computers += len(group) < SEATS
    if len(group) > 1:
        outcome.spreads.append(spread([one.rating for one in group]))
    for one in group:
        outcome.waits_s.append((one.rating, (now_ms - one.joined_at_ms) / 1000))
        outcome.again += sum(other.player_id in one.met for other in group)
        met.setdefault(one.player_id, {}).update({other.player_id: now_ms for other in group if other is not one})


def _times(rate: Rate, length_s: int, chance: random.Random) -> Iterator[int]:
    """Yields when people come, in milliseconds: a Poisson process, thinned where its rate is below the highest."""
    highest = max(rate(at) for at in range(0, length_s, 10))
    at = 0.0
    while (at := at + chance.expovariate(highest)) < length_s:
        if chance.random() < rate(at) / highest:
            yield round(at * 1000)
