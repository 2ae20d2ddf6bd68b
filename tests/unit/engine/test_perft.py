"""Counts of action sequences from positions of the stored hand records, pinned, by two independent move generators.

A node is one answer of one seat; of seats asked together each order of answering counts.
"""

import json
from functools import cache
from pathlib import Path

import pytest

from mahjong_engine.fields import Fields
from mahjong_engine.hand import apply, open_decisions, start_hand
from mahjong_engine.record_action import read_action
from mahjong_engine.record_header import read_header
from tests.unit.engine.lockstep import plain
from tests.unit.engine.plain_game import GAMES

RECORDS = Path(__file__).parents[2] / "data" / "hand_records"

PINS = [
    ("classical", 0, 49, (3, 20, 139)),
    ("classical", 1, 42, (4, 6, 44)),
    ("classical", 2, 0, (2, 4, 8)),
    ("classical", 3, 45, (3, 24, 165)),
    ("classical", 4, 0, (2, 16, 147)),
    ("classical", 5, 0, (11, 103, 788)),
    ("classical", 7, 14, (5, 26, 168)),
    ("classical", 8, 1, (3, 12, 65)),
    ("classical", 9, 1, (4, 6, 18)),
    ("classical", 10, 82, (5, 10, 42)),
    ("classical", 11, 1, (4, 6, 28)),
    ("taiwanese", 0, 4, (11, 122, 1511)),
    ("taiwanese", 1, 0, (6, 24, 48)),
    ("taiwanese", 2, 0, (2, 18, 156)),
    ("taiwanese", 3, 11, (11, 102, 1017)),
    ("taiwanese", 4, 53, (4, 6, 38)),
    ("taiwanese", 5, 0, (14, 113, 1218)),
    ("taiwanese", 7, 0, (2, 14, 171)),
    ("taiwanese", 8, 0, (2, 24, 174)),
    ("taiwanese", 9, 49, (3, 17, 99)),
    ("taiwanese", 10, 0, (11, 96, 812)),
    ("taiwanese", 11, 88, (6, 25, 14)),
]
"""Rule set, line of its file of records, decisions played, and the counts at depths 1, 2 and 3."""


@cache
def record_of(name, line):
    return json.loads((RECORDS / f"records-{name}.jsonl").read_text().splitlines()[line])


def position(name, line, played):
    """Returns the engine's state there, and the actions that lead there as the plain game writes them."""
    record = record_of(name, line)
    state, _ = start_hand(read_header(Fields(record, "record")).deal)
    path = []
    for decision in record["decisions"][:played]:
        action = read_action(Fields(decision, "decision"), state.offered)
        path.append((decision["seat"], plain(action)))
        state, _ = apply(state, decision["seat"], action)
    return state, path


def count(state, depth):
    if depth == 0:
        return 1
    moves = [(d.seat, action) for d in open_decisions(state) for action in d.options]
    return sum(count(apply(state, seat, action)[0], depth - 1) for seat, action in moves)


def count_plainly(name, line, path, depth):
    record = record_of(name, line)
    game = GAMES[name](record["wall"], record["dealer"])
    for seat, action in path:
        game.answer(seat, action)
    moves = [(seat, action) for seat, actions in game.asked.items() for action in actions]
    if depth == 1:
        return len(moves)
    return sum(count_plainly(name, line, [*path, move], depth - 1) for move in moves)


@pytest.mark.parametrize(("name", "line", "played", "pinned"), PINS)
def test_engine_finds_the_pinned_number_of_action_sequences(name, line, played, pinned):
    state, _ = position(name, line, played)
    assert tuple(count(state, depth) for depth in (1, 2, 3)) == pinned


@pytest.mark.parametrize(("name", "line", "played", "pinned"), PINS)
def test_plain_game_finds_the_same_number(name, line, played, pinned):
    _, path = position(name, line, played)
    depths = (1, 2, 3) if pinned[1] < 30 else (1, 2)  # it plays every sequence from the deal on
    assert tuple(count_plainly(name, line, path, depth) for depth in depths) == pinned[: len(depths)]


@pytest.mark.parametrize(("name", "line", "pinned"), [("classical", 5, 8_047), ("taiwanese", 10, 7_124)])
def test_engine_finds_the_pinned_number_four_answers_deep(name, line, pinned):
    state, _ = position(name, line, 0)
    assert count(state, 4) == pinned
