"""`mahjong duel`: which of two computer levels is stronger, over hands that both play from both sides."""

import math
import statistics
import sys
from collections.abc import Iterator
from hashlib import shake_256
from typing import Annotated

import typer
from rich.progress import track

from mahjong_cli.lines import clean_endings, write_line
from mahjong_engine.bots import LEVELS, decide
from mahjong_engine.hand import apply, open_decisions, start_hand
from mahjong_engine.rule_set import RuleSet, rule_set, rule_set_names
from mahjong_engine.state import BySeat, Deal
from mahjong_engine.view import view
from mahjong_engine.wall import NO_NONCE, SERVER_SEED_SIZE, shuffle

CONFIDENCE_SIGMAS = 1.96
"""Standard errors to each side of the mean that hold it 95 times in 100."""


def duel(
    first: Annotated[str, typer.Argument(help=f"A level: {', '.join(LEVELS)}.")] = "strong",
    second: Annotated[str, typer.Argument(help="The level that it is held against.")] = "basic",
    name: Annotated[str, typer.Option("--rule-set", help=f"One of {', '.join(rule_set_names())}.")] = "classical",
    hands: Annotated[int, typer.Option(min=4, max=1_000_000, help="Hands to play; an even number.")] = 2000,
    seed: Annotated[int, typer.Option(help="The same seed deals the same hands.")] = 1,
) -> None:
    """Plays hands with two seats of each level and prints the mean gain of the first, with its 95 % interval.

    Each wall is dealt twice, the levels changing seats, so that luck of the deal falls on both. Points are a seat's
    change of score in a hand; the second level's are the negative of the first's. Exit status 1 unless the whole
    interval is above zero.
    """
    for level in (first, second):
        if level not in LEVELS:
            raise typer.BadParameter(f"{level!r} is none of {', '.join(LEVELS)}")
    if name not in rule_set_names():
        raise typer.BadParameter(f"{name!r} is none of {', '.join(rule_set_names())}")
    if hands % 2:
        raise typer.BadParameter(f"{hands} is not an even number", param_hint="--hands")
    gains = list(
        track(
            _gains(rule_set(name), first, second, hands // 2, seed),
            total=hands // 2,
            description=f"{name}: {first} against {second}",
            console=None,
            disable=sys.stderr is None or not sys.stderr.isatty(),
        )
    )
    mean = statistics.fmean(gains)
    margin = CONFIDENCE_SIGMAS * statistics.stdev(gains) / math.sqrt(len(gains))
    result = {
        "rule_set": name,
        "first": first,
        "second": second,
        "hands": 2 * len(gains),
        "gain_points_per_hand": round(mean, 2),
        "interval": [round(mean - margin, 2), round(mean + margin, 2)],
    }
    with clean_endings():
        write_line(result)
    if mean - margin <= 0:
        raise typer.Exit(1)


def _gains(rules: RuleSet, first: str, second: str, walls: int, seed: int) -> Iterator[float]:
    """Yields for each wall what a seat of the first level gains a hand, over both seatings."""
    for number in range(walls):
        server_seed = shake_256(b"mahjong-planet/duel/1%d" % seed).digest(SERVER_SEED_SIZE)
        wall = shuffle(server_seed, f"duel/{seed}", [NO_NONCE] * 4, number)
        score = rules.start_score
        deal = Deal(rules, wall, number, number % 16, 0, (score,) * 4)
        # Opposite seats share a level on even walls, neighbours on odd ones.
        ours = (0, 2) if number % 2 else (0, 1)
        levels = [first if seat in ours else second for seat in range(4)]
        changes = _play(deal, levels)
        swapped = _play(deal, [first if level == second else second for level in levels])
        yield (_sum(changes, ours) - _sum(swapped, ours)) / 4


def _sum(changes: BySeat[int], seats: tuple[int, int]) -> int:
    return sum(changes[seat] for seat in seats)


def _play(deal: Deal, levels: list[str]) -> BySeat[int]:
    hand, _ = start_hand(deal)
    while not hand.is_over:
        seat = open_decisions(hand)[0].seat
        hand, _ = apply(hand, seat, decide(levels[seat], view(hand, seat)))
    assert hand.result is not None
    return hand.result.changes
