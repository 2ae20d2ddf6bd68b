"""What the reader of scoring cases refuses, and why (docs/formats/notation.md), and the odd cases that it accepts."""

import copy
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mahjong_engine.case import read_case, score_case
from mahjong_engine.case_error import CaseError, CaseReason
from tests.unit.engine.scoring import case_of, seat

HAND = {
    "classical": "(1b 2b 3b) 4b 5b 6b 2c 3c 4c 7d 8d N N | f1",
    "taiwanese": "(1b 2b 3b) 4b 5b 6b 2c 3c 4c 5c 6c 7c 7d 8d N N | f1",
}
OTHERS = {"W": "(R R R) [kk 9c] 1d 1d G | s1", "N": "(pk 9b) 6d 6d 8c P"}
ORPHANS = "1b 9b 1c 9c 1d 9d E E S W N R G"
FLOWERS = "f1 f2 f3 f4 s1 s2 s3"
rule_sets = pytest.mark.parametrize("rule_set", ["classical", "taiwanese"])


def case(rule_set: str = "classical", hand: str | None = None, tile: str | None = "9d", **more: Any) -> dict[str, Any]:
    return case_of(rule_set, hand or HAND[rule_set], tile, **{"others": OTHERS, **more})


def refusal(case: object) -> str:
    with pytest.raises(CaseError) as caught:
        score_case(case)
    assert str(caught.value)
    return caught.value.reason.name


def changed(case: dict[str, Any], *path: Any, to: Any) -> dict[str, Any]:
    """Returns a copy with one part replaced, or removed if `to` is `...`."""
    new = copy.deepcopy(case)
    target: Any = new
    for step in path[:-1]:
        target = target[step]
    if to is ...:
        del target[path[-1]]
    else:
        target[path[-1]] = to
    return new


@rule_sets
def test_an_ordinary_case_is_scored(rule_set):
    assert sum(score_case(case(rule_set))["changes"]) == 0


NO_CASES = [None, 0, "", "{}", [], [{}], {}, True, 1.5, {"rule_set": "classical"}]


@pytest.mark.parametrize("value", NO_CASES)
def test_a_value_that_is_no_case_is_malformed(value):
    assert refusal(value) == "MALFORMED"


REQUIRED = [
    ("rule_set",), ("dealer",), ("round_wind",), ("seats",), ("win",), ("live_tiles_left",), ("discards",),
    ("discard_count",), ("seats", 0, "concealed"), ("seats", 2, "melds", 0, "kind"), ("seats", 2, "melds", 0, "tiles"),
    ("win", "seat"), ("win", "tile"), ("win", "source"), ("win", "from_seat"),
]  # fmt: skip
OPTIONAL = [
    ("kongs_in_turn",), ("dealer_wins_before",), ("seats", 0, "melds"), ("seats", 0, "bonus"),
    ("seats", 0, "original_call"),
]  # fmt: skip


@rule_sets
@pytest.mark.parametrize("path", REQUIRED)
def test_a_missing_part_is_malformed(rule_set, path):
    assert refusal(changed(case(rule_set), *path, to=...)) == "MALFORMED"


@rule_sets
@pytest.mark.parametrize("path", OPTIONAL)
def test_an_optional_part_may_be_left_out_but_not_null(rule_set, path):
    assert score_case(changed(case(rule_set), *path, to=...)) == score_case(case(rule_set))
    assert refusal(changed(case(rule_set), *path, to=None)) == "MALFORMED"


WRONG_VALUES: list[Any] = [None, True, -1, 1.0, 10**30, "x", "", [], ["1b", None], {}, {"a": 1}, [[]], [None]]


@rule_sets
@pytest.mark.parametrize("path", REQUIRED + OPTIONAL)
@pytest.mark.parametrize("value", WRONG_VALUES, ids=repr)
def test_a_part_of_a_wrong_type_is_never_taken_for_something(rule_set, path, value):
    """Every part refuses what it is not; a few of the values are right, or wrong in another way, for a few parts."""
    mutated, part = changed(case(rule_set), *path, to=value), path[-1]
    if (value is True and part == "original_call") or (value == [] and part in ("melds", "bonus", "concealed")):
        assert score_case(mutated)
    elif value is None and path == ("win", "from_seat"):
        assert refusal(mutated) == "INCONSISTENT_SOURCE"
    elif isinstance(value, str) and part in ("kind", "source"):
        assert refusal(mutated) == ("BAD_MELD" if part == "kind" else "BAD_SOURCE")
    elif value == [] and part in ("tiles", "discards"):
        assert refusal(mutated) == ("BAD_MELD" if part == "tiles" else "INCONSISTENT_SOURCE")
    else:
        assert refusal(mutated) == "MALFORMED"


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("rule_set",), "riichi"),
        (("rule_set",), "Classical"),
        (("dealer",), 4),
        (("round_wind",), "R"),
        (("round_wind",), "e"),
        (("live_tiles_left",), 76),
        (("discard_count",), 137),
        (("kongs_in_turn",), 5),
        (("discards",), ["9d", "f2"]),
        (("discards",), ["9d", "0b"]),
        (("seats", 0, "concealed"), ["f2"]),
        (("seats", 0, "concealed"), ["1B"]),
        (("seats", 0, "bonus"), ["1b"]),
        (("win", "seat"), 4),
        (("win", "from_seat"), -1),
        (("win", "tile"), "f2"),
        (("win", "tile"), None),
    ],
)
def test_a_value_out_of_its_range_is_malformed(path, value):
    assert refusal(changed(case(), *path, to=value)) == "MALFORMED"


@pytest.mark.parametrize("count", [0, 3, 5])
def test_other_than_four_seats_are_malformed(count):
    assert refusal(changed(case(), "seats", to=[seat("")] * count)) == "MALFORMED"


def test_both_win_and_wins_are_malformed():
    both = case("taiwanese")
    assert refusal({**both, "wins": [both["win"]]}) == "MALFORMED"
    assert refusal({**both, "wins": None}) == "MALFORMED"


def test_empty_wins_are_malformed():
    assert refusal({**changed(case("taiwanese"), "win", to=...), "wins": []}) == "MALFORMED"


@rule_sets
def test_wins_may_list_one_winner(rule_set):
    one = case(rule_set)
    assert score_case({**changed(one, "win", to=...), "wins": [one["win"]]}) == score_case(one)


def test_parts_that_the_notation_does_not_name_are_ignored():
    assert score_case({**case(), "match": "m-1", "notes": [None]}) == score_case(case())


@pytest.mark.parametrize(
    ("kind", "tiles"),
    [
        ("chow", "1b 2b 4b"),
        ("chow", "8b 9b 1c"),
        ("chow", "1b 1b 1b"),
        ("chow", "E S W"),
        ("chow", "7d 8d 9d E"),
        ("pung", "1b 1b 2b"),
        ("pung", "1b 1b"),
        ("pung", "1b 1b 1b 1b"),
        ("pung", "f1 f1 f1"),
        ("chow", "f1 f2 f3"),
        ("claimed_kong", "1b 1b 1b"),
        ("concealed_kong", "1b 1b 1b 2b"),
        ("promoted_kong", "1b 2b 3b 4b"),
        ("kong", "1b 1b 1b 1b"),
        ("pung", ""),
    ],
)
def test_tiles_that_are_no_such_meld_are_a_bad_meld(kind, tiles):
    meld = {"kind": kind, "tiles": tiles.split()}
    assert refusal(changed(case(), "seats", 0, "melds", to=[meld])) == "BAD_MELD"


def test_the_tiles_of_a_chow_may_stand_in_any_order():
    mixed = changed(case(), "seats", 1, "melds", 0, "tiles", to=["3b", "1b", "2b"])
    assert score_case(mixed) == score_case(case())


@pytest.mark.parametrize(
    ("rule_set", "source"),
    [
        ("classical", "flower_replacement"),
        ("classical", "eight_flowers"),
        ("classical", "seven_flowers_rob_eighth"),
        ("taiwanese", "robbed_concealed_kong"),
        ("taiwanese", "tsumo"),
        ("classical", "DISCARD"),
    ],
)
def test_a_source_that_the_rule_set_does_not_have_is_a_bad_source(rule_set, source):
    assert refusal(changed(case(rule_set), "win", "source", to=source)) == "BAD_SOURCE"


SECOND = "4b 5b 6b 7b 8b 9b 1c 2c 3c 5d 6d 7d 7d 8d S S"


def two_winners(**second: Any) -> dict[str, Any]:
    """Two winners of a discard of North, seats 1 and 2."""
    both = case_of("taiwanese", HAND["taiwanese"], "9d", giver="N", others={"W": SECOND})
    win = both.pop("win")
    return {**both, "wins": [win, {**win, "seat": 2, **second}]}


def test_several_winners_of_one_discard_are_scored():
    answer = score_case(two_winners())
    assert [hand["seat"] for hand in answer["hands"]] == [1, 2]
    assert answer["changes"][3] == -sum(answer["values"])


def test_the_order_of_several_winners_has_no_meaning():
    both = two_winners()
    assert score_case({**both, "wins": both["wins"][::-1]}) == score_case(both)


def test_a_classical_case_has_one_winner():
    assert refusal({**two_winners(), "rule_set": "classical"}) == "SEVERAL_WINNERS"


@pytest.mark.parametrize(
    "second", [{"seat": 1}, {"tile": "6d"}, {"from_seat": 0}, {"source": "robbed_promoted_kong"}], ids=str
)
def test_winners_of_different_tiles_or_seats_cannot_have_won_together(second):
    assert refusal(two_winners(**second)) == "SEVERAL_WINNERS"


def test_several_seats_cannot_win_on_one_draw():
    both = two_winners()
    drawn = [{**win, "source": "live_wall", "from_seat": None} for win in both["wins"]]
    assert refusal({**both, "wins": drawn}) == "SEVERAL_WINNERS"


@pytest.mark.parametrize(
    "others",
    [
        {"W": "N N", "N": "N"},
        {"W": "(N N N)"},
        {"W": "[kk N]"},
        {"W": "9d 9d 9d", "N": "9d"},
        {"W": "5d 5d 5d 5d 5d"},
        {"W": "| f1"},
        {"W": "| s1 s1"},
    ],
)
def test_more_copies_than_there_are_of_a_tile_are_refused(others):
    assert refusal(case(others=others)) == "TOO_MANY_COPIES"


def test_five_copies_in_the_ponds_are_refused():
    assert refusal(case(ponds="5d 5d 5d 5d 5d")) == "TOO_MANY_COPIES"


def test_a_drawn_winning_tile_is_one_more_copy_and_a_winning_discard_is_in_the_ponds():
    alike = {"W": "9d 9d 9d"}
    assert score_case(case(others=alike))
    assert score_case(case(others=alike, source="live_wall"))
    assert refusal(case(others={"W": "9d 9d 9d 9d"}, source="live_wall")) == "TOO_MANY_COPIES"


@pytest.mark.parametrize("hand", ["(1b 2b 3b) 4b 5b 6b 2c 3c 4c 7d 8d N", "(1b 2b 3b) 4b 5b 6b 2c 3c 4c 7d 8d N N N"])
def test_a_winner_needs_its_exact_number_of_tiles(hand):
    assert refusal(case(hand=hand)) == "WRONG_TILE_COUNT"


@rule_sets
def test_another_seat_may_have_fewer_tiles_or_one_too_many(rule_set):
    due = {"classical": 13, "taiwanese": 16}[rule_set]
    tiles = [f"{rank}d" for rank in range(1, 6) for _ in range(4)]
    for count, is_accepted in ((0, True), (due - 5, True), (due, True), (due + 1, True), (due + 2, False)):
        other = case(rule_set, others={"W": " ".join(tiles[:count])})
        if is_accepted:
            score_case(other)
        else:
            assert refusal(other) == "WRONG_TILE_COUNT"


def test_more_melds_than_a_hand_has_sets_are_refused():
    assert refusal(case(others={"W": "(R R R) (G G G) (P P P) (E E E) (S S S)"}, discards=40)) == "WRONG_TILE_COUNT"


@pytest.mark.parametrize(("discards", "is_accepted"), [(5, False), (6, True), (40, True)])
def test_the_discards_are_at_least_those_in_ponds_and_claimed_melds(discards, is_accepted):
    """Two in the ponds, and four melds of which three were claimed, the promoted kong too, and the winner's chow."""
    counted = case(ponds="E E", discards=discards)
    if is_accepted:
        score_case(counted)
    else:
        assert refusal(counted) == "INCONSISTENT_DISCARDS"


DRAWS = ["live_wall", "kong_replacement", "dealt"]
FREE_KONG = "[kk 9d] 4b 5b 6b 2c 3c 4c 7d 8d N N | f1"
INCONSISTENT = {
    "a winning discard that is not in the ponds": changed(case(), "discards", to=["1d"]),
    "a discard without a giver": changed(case(), "win", "from_seat", to=None),
    "a discard of the winner": changed(case(), "win", "from_seat", to=1),
    "a first discard that is not the dealer's": changed(
        case(hand="4b 5b 6b 2c 3c 4c 5d 6d 7d 7d 8d N N", others={}, discards=1), "win", "from_seat", to=2
    ),
    "a draw with a giver": changed(case(source="live_wall"), "win", "from_seat", to=2),
    "a kong replacement without a kong": case(source="kong_replacement"),
    "a dealt tile of another than the dealer": case(
        hand="4b 5b 6b 2c 3c 4c 5d 6d 7d 7d 8d N N", source="dealt", others={}, discards=0
    ),
    "a dealt tile after a discard": case(
        hand="4b 5b 6b 2c 3c 4c 5d 6d 7d 7d 8d N N", source="dealt", wind="E", others={}, discards=1
    ),
    "a dealt tile after a kong": case(
        hand="[kk E] 2c 3c 4c 5d 6d 7d 7d 8d N N", source="dealt", wind="E", others={}, discards=0
    ),
    "a draw of another than the dealer before any discard": case(
        hand="4b 5b 6b 2c 3c 4c 5d 6d 7d 7d 8d N N", source="live_wall", others={}, discards=0
    ),
    "a live tile of the dealer before any discard": case(
        hand="4b 5b 6b 2c 3c 4c 5d 6d 7d 7d 8d N N", source="live_wall", wind="E", others={}, discards=0
    ),
    "a robbed kong whose owner has no pung": changed(
        case(source="robbed_promoted_kong"), "seats", 2, "melds", to=[]
    ),
    "a robbed kong whose owner has a kong of it": changed(
        case(source="robbed_promoted_kong", others={}), "seats", 2, "melds", 0, to={"kind": "pung", "tiles": ["R"] * 3}
    ),
    "a robbed concealed kong whose owner has two of it": changed(
        case(hand=ORPHANS, tile="P", source="robbed_concealed_kong", others={}), "seats", 2, "concealed", to=["P", "P"]
    ),
    "a kong robbed by East in the kong round": case(
        hand=ORPHANS, tile="P", source="robbed_concealed_kong", wind="E", others={}, discards=0
    ),
    "a flower replacement without a flower": case(
        "taiwanese", hand=HAND["taiwanese"].partition("|")[0], source="flower_replacement"
    ),
    "a flower replacement before any discard and without a kong": case(
        "taiwanese", "4b 5b 6b 2c 3c 4c 5c 6c 7c 5d 6d 7d 7d 8d N N | f1", source="flower_replacement", wind="E",
        others={}, discards=0,
    ),
    "a live tile of the Taiwanese dealer before any discard": case(
        "taiwanese", "4b 5b 6b 2c 3c 4c 5c 6c 7c 5d 6d 7d 7d 8d N N | f1", source="live_wall", wind="E",
        others={}, discards=0,
    ),
    "an eighth flower that its owner does not show": case(
        "taiwanese", f"{SECOND} | {FLOWERS}", None, source="seven_flowers_rob_eighth", giver="N", others={"W": "| s4"}
    ),
    "an eighth flower that is another one": case(
        "taiwanese", f"{SECOND} | {FLOWERS}", "f1", source="seven_flowers_rob_eighth", giver="N", others={"N": "| s4"}
    ),
    "a robbed flower without its owner": case(
        "taiwanese", f"{SECOND} | {FLOWERS}", "s4", source="seven_flowers_rob_eighth", others={"N": "| s4"}
    ),
    "eight flowers with a giver": case(
        "taiwanese", f"{SECOND} | {FLOWERS} s4", None, source="eight_flowers", giver="N", others={}
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", INCONSISTENT)
def test_a_winning_tile_that_cannot_have_come_from_there_is_an_inconsistent_source(name):
    assert refusal(INCONSISTENT[name]) == "INCONSISTENT_SOURCE"


def test_a_concealed_kong_is_robbed_by_thirteen_orphans_only():
    hand = "(1b 2b 3b) 4b 5b 6b 2c 3c 4c 7d 8d N N"
    assert refusal(case(hand=hand, source="robbed_concealed_kong", others={})) == "NOT_ROBBABLE"
    assert score_case(case(hand=ORPHANS, tile="P", source="robbed_concealed_kong", others={}, discards=0))


@pytest.mark.parametrize(
    ("rule_set", "hand", "tile"),
    [
        ("classical", "(1b 2b 3b) 4b 5b 6b 2c 3c 4c 7d 8d N N", "5d"),
        ("classical", "1b 1b 3b 3b 5c 5c 7c 7c 9d 9d N N R", "R"),
        ("classical", ORPHANS.replace("9d", "8d"), "P"),
        ("taiwanese", "1b 9b 1c 9c 1d 9d E E S W N R G 2b 3b 4b", "P"),
        ("taiwanese", "2b 2b 3b 3b 5c 5c 6c 6c 8d 8d R R N N E E", "9d"),
    ],
)
def test_tiles_that_do_not_win_are_not_a_win(rule_set, hand, tile):
    assert refusal(case(rule_set, hand, tile, others={})) == "NOT_A_WIN"


def test_flower_wins_without_the_flowers_are_not_a_win():
    seven = f"{SECOND} | {FLOWERS}"
    assert refusal(case("taiwanese", seven, None, source="eight_flowers", others={})) == "NOT_A_WIN"
    six = f"{SECOND} | {FLOWERS[:-3]}"
    robbing = {"source": "seven_flowers_rob_eighth", "giver": "N", "others": {"N": "| s4"}}
    assert refusal(case("taiwanese", six, None, **robbing)) == "NOT_A_WIN"
    assert score_case(case("taiwanese", seven, None, **robbing))


@pytest.mark.parametrize(
    ("wind", "concealed", "discards", "is_accepted"),
    [
        ("S", 16, 30, True), ("S", 15, 30, False), ("S", 17, 30, False),
        ("S", 16, 0, True), ("S", 15, 0, True), ("S", 17, 0, False),
        ("E", 16, 0, True), ("E", 17, 0, True), ("E", 15, 0, False), ("E", 17, 1, False),
    ],
)  # fmt: skip
def test_a_flower_winner_in_the_opening_may_lack_the_replacement(wind, concealed, discards, is_accepted):
    """A flower of the opening is shown and not yet replaced; East, who deals, holds one tile more."""
    hand = " ".join([f"{rank}{suit}" for suit in "bc" for rank in range(1, 10)][:concealed])
    win = case(
        "taiwanese", f"{hand} | {FLOWERS} s4", None, source="eight_flowers", wind=wind, others={}, discards=discards
    )
    if is_accepted:
        assert score_case(win)["values"][win["win"]["seat"]] == 30
    else:
        assert refusal(win) == "WRONG_TILE_COUNT"


def test_a_win_before_any_discard_after_a_kong_has_the_source_of_its_last_tile():
    hand = "[kk E] 2c 3c 4c 5d 6d 7d 7d 8d N N"
    for source, bonus in (("kong_replacement", ""), ("live_wall", "f1")):
        answer = score_case(case(hand=f"{hand} | {bonus}", source=source, wind="E", others={}, discards=0))
        assert answer["hands"][0]["limit"] == ["east_before_first_discard"]
    assert refusal(case(hand=hand, source="live_wall", wind="E", others={}, discards=0)) == "INCONSISTENT_SOURCE"


ORDER = [
    ("MALFORMED", lambda bad: bad.update(dealer=7)),
    ("BAD_MELD", lambda bad: bad["seats"][3].update(melds=[{"kind": "chow", "tiles": ["1b"]}])),
    ("BAD_SOURCE", lambda bad: bad["win"].update(source="elsewhere")),
    ("TOO_MANY_COPIES", lambda bad: bad["seats"][3].update(concealed=["5d"] * 5)),
    ("WRONG_TILE_COUNT", lambda bad: bad["seats"][1]["concealed"].pop()),
    ("INCONSISTENT_DISCARDS", lambda bad: bad.update(discard_count=1)),
    ("INCONSISTENT_SOURCE", lambda bad: bad["win"].update(from_seat=None)),
    ("NOT_A_WIN", lambda bad: bad["seats"][1]["concealed"].__setitem__(0, "8c")),
]


@pytest.mark.parametrize("first", range(len(ORDER)))
def test_of_several_faults_the_first_in_the_order_of_the_notation_is_given(first):
    bad = case()
    for _, spoil in reversed(ORDER[first:]):
        spoil(bad)
    assert refusal(bad) == ORDER[first][0]


def test_every_reason_of_the_notation_can_be_given():
    assert {reason.name for reason in CaseReason} == {name for name, _ in ORDER} | {"SEVERAL_WINNERS", "NOT_ROBBABLE"}
    assert all(reason.value == reason.name for reason in CaseReason)


def test_the_message_of_a_huge_value_is_short():
    with pytest.raises(CaseError) as caught:
        read_case(changed(case(), "dealer", to=["x" * 100_000] * 1_000))
    assert len(str(caught.value)) < 300


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5) | st.sampled_from(["1b", "E", "f1"]),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=4),
    max_leaves=10,
)


def paths(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Returns the path of every part of a JSON value."""
    steps = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [path] * bool(path) + [found for step, part in steps for found in paths(part, (*path, step))]


@rule_sets
@given(st.data())
def test_whatever_stands_in_a_case_is_scored_or_refused(rule_set, data):
    good = case(rule_set)
    path = data.draw(st.sampled_from(paths(good)))
    bad = changed(good, *path, to=data.draw(json_values))
    try:
        answer = score_case(bad)
    except CaseError:
        return
    assert sum(json.loads(json.dumps(answer))["changes"]) == 0
