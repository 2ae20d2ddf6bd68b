"""Who sits where."""

from collections import Counter

import pytest

from mahjong_matchmaker.pools import POOLS, Pool, pool_named
from mahjong_matchmaker.seating import COMPUTER_NAMES, PlannedMatch, seat_group, seat_practice
from mahjong_matchmaker.ticket import WaitingTicket
from mahjongplanet.game.v1.terms_pb2 import Clock, ComputerLevel, MatchLength, Occupant, RuleSet, TableKind

CASUAL = Pool(RuleSet.RULE_SET_TAIWANESE, rated=False)
BASIC, STRONG = ComputerLevel.COMPUTER_LEVEL_BASIC, ComputerLevel.COMPUTER_LEVEL_STRONG


def group(size: int) -> tuple[WaitingTicket, ...]:
    return tuple(WaitingTicket(f"t{index}", f"p{index}", f"Name {index}", index, index) for index in range(size))


def test_pool_names_name_one_pool_each():
    assert [pool_named(pool.name) for pool in POOLS] == list(POOLS)
    assert len({pool.name for pool in POOLS}) == len(POOLS) == 16


@pytest.mark.parametrize("people", [1, 2, 3, 4])
def test_empty_seats_go_to_basic_computers_with_names_of_their_own(people):
    match = seat_group(CASUAL, group(people))
    computers = [occupant for occupant in match.request.occupants if occupant.WhichOneof("occupant") == "computer"]
    assert len(match.request.occupants) == 4
    assert [occupant.computer for occupant in computers] == [BASIC] * (4 - people)
    names = {occupant.display_name for occupant in computers}
    assert len(names) == 4 - people
    assert names <= set(COMPUTER_NAMES)


def test_quick_play_is_a_full_match_at_standard_pace():
    request = seat_group(CASUAL, group(4)).request
    assert (request.rule_set, request.clock, request.length, request.table_kind) == (
        RuleSet.RULE_SET_TAIWANESE,
        Clock.CLOCK_STANDARD,
        MatchLength.MATCH_LENGTH_FULL,
        TableKind.TABLE_KIND_CASUAL,
    )
    rated = seat_group(Pool(RuleSet.RULE_SET_CLASSICAL, rated=True), group(4)).request
    assert rated.table_kind == TableKind.TABLE_KIND_RATED


def test_match_has_the_clock_of_its_pool():
    pool = Pool(RuleSet.RULE_SET_CLASSICAL, rated=True, clock=Clock.CLOCK_BULLET)
    assert pool.name == "classical-bullet-rated"
    assert seat_group(pool, group(4)).request.clock == Clock.CLOCK_BULLET


def test_seats_are_drawn_by_lot():
    firsts = Counter(seat_group(CASUAL, group(4)).request.occupants[0].player_id for _ in range(2000))
    assert set(firsts) == {"p0", "p1", "p2", "p3"}
    assert min(firsts.values()) > 380  # 500 expected; below 380 by chance once in 10^9


def test_planned_match_survives_the_store():
    match = seat_group(CASUAL, group(3))
    assert PlannedMatch.from_json(match.to_json()) == match


def test_practice_computers_follow_the_player_in_turn_order():
    seats = set()
    for _ in range(100):
        request = seat_practice(
            Occupant(player_id="me", display_name="Me"),
            RuleSet.RULE_SET_CLASSICAL,
            Clock.CLOCK_UNTIMED,
            MatchLength.MATCH_LENGTH_ONE_HAND,
            [BASIC, STRONG, BASIC],
        )
        seat = next(index for index, occupant in enumerate(request.occupants) if occupant.player_id == "me")
        assert [request.occupants[(seat + turn) % 4].computer for turn in (1, 2, 3)] == [BASIC, STRONG, BASIC]
        assert request.table_kind == TableKind.TABLE_KIND_PRACTICE
        seats.add(seat)
    assert seats == {0, 1, 2, 3}


def test_computer_names_can_be_shown():
    assert all(1 <= len(name) <= 24 for name in COMPUTER_NAMES)
    assert len(set(COMPUTER_NAMES)) == len(COMPUTER_NAMES)
