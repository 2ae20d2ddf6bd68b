"""Section 14 of docs/rules/classical.md: what is shown to whom."""

import pytest

from mahjong_engine.event import Drew, HandDealt, HandEnded, Wall
from mahjong_engine.view import view
from tests.unit.engine.hand_kit import Table, codes

WAITS_3B = "1b 2b 4c 5c 6c 7d 8d 9d E E E R R"
ORPHANS_BUT_9C = "1b 9b 1c 1d 9d E S W N R G P P"


def test_c62_everyone_sees_what_is_public():
    table = Table("classical", "9d", "f1", "9d 9d 4*1b", live="5b", reserve="7c 7c", dealer=1, round_=2, wins=3)
    table.do(3, "kong concealed_kong 1b").do(1, "discard 9d").do(3, "pung")
    for seat in range(4):
        view = table.view(seat)
        assert (view.dealer, codes([view.round_wind]), view.dealer_changes, view.dealer_wins) == (1, "W", 9, 3)
        assert view.scores == (2_000,) * 4
        assert [m.kind.value for m in view.melds[3]] == ["concealed_kong", "pung"]
        assert view.melds[3][1].from_seat == 1
        assert codes(view.bonus[2]) == "f1"
        assert view.ponds == ((), (), (), ())
        assert view.concealed_counts == (13, 13, 13, 8)
        assert (view.live_tiles_left, view.reserve_tiles_left) == (74, 15)
        assert (view.turn, view.original_calls) == (3, (False,) * 4)


def test_c62_everyone_sees_from_which_wall_the_seat_in_turn_drew():
    table = Table("classical", "4*1b", reserve="7c").do(0, "continue").do(0, "kong concealed_kong 1b")
    assert [table.view(seat).drew_from for seat in range(4)] == [Wall.RESERVE] * 4
    table.turn()
    assert [table.view(seat).drew_from for seat in range(4)] == [Wall.LIVE] * 4
    assert [e.wall for e in table.seen_by(2) if isinstance(e, Drew)] == [Wall.RESERVE, Wall.LIVE]


def test_c62_a_concealed_kong_is_seen_with_its_tiles_from_the_declaration_on():
    table = Table("classical", "4*9c", "", ORPHANS_BUT_9C).do(0, "continue").do(0, "kong concealed_kong 9c")
    view = table.view(1)
    assert [codes(m.tiles) for m in view.melds[0]] == ["9c 9c 9c 9c"]
    assert (codes([view.offered]), view.offered_by) == ("9c", 0)


def test_c63_a_seat_alone_sees_its_concealed_tiles_its_drawn_tile_and_its_answers():
    table = Table("classical", live="5b").turn()
    own, other = table.view(1), table.view(2)
    assert (codes([own.drawn]), own.decision.options != ()) == ("5b", True)
    assert codes(own.concealed) == table.hand(1)
    assert (other.drawn, other.decision) == (None, None)
    assert codes(other.concealed) == table.hand(2)


@pytest.mark.parametrize("seat", [-1, 4])
def test_c63_an_onlooker_without_a_seat_has_no_view(seat):
    with pytest.raises(ValueError, match="no seat"):
        view(Table("classical").state, seat)


def test_c63_events_show_dealt_and_drawn_tiles_to_their_seat_only():
    table = Table("classical", live="5b 6b").turns(2)
    for seat in range(4):
        seen = table.seen_by(seat)
        (dealt,) = (e for e in seen if isinstance(e, HandDealt))
        assert [s for s in range(4) if dealt.concealed[s] is not None] == [seat]
        drawn = [(e.seat, e.tile is not None) for e in seen if isinstance(e, Drew)]
        assert drawn == [(1, seat == 1), (2, seat == 2)]


def test_c63_nobody_is_told_who_holds_four_alike_in_the_kong_round():
    south = Table("classical", "", "4*1b 1c 2c 3c 4c 5c 6c 7c 8c 9c", "1d 2d 3d 4d 5d 6d 7d 8d 9d 5b 6b 7b 8b")
    west = Table("classical", "", "1d 2d 3d 4d 5d 6d 7d 8d 9d 5b 6b 7b 8b", "4*1b 1c 2c 3c 4c 5c 6c 7c 8c 9c")
    assert (south.asked_seats, west.asked_seats) == ([1], [2])
    for seat in (0, 3):
        assert south.view(seat) == west.view(seat)
        assert south.view(seat).turn is None


def test_c63_nobody_is_told_who_was_asked_for_a_claim_or_has_passed():
    hands = "1d 2d 3d 4d 5d 6d 7d 8d E E W N S", "1c 2c 3c 4c 5c 6c 7c 8c 9c 1b 2b 3b 4b"
    one = Table("classical", "E 9d", hands[0], hands[1]).do(0, "discard E")
    two = Table("classical", "E 9d", hands[1], hands[0]).do(0, "discard E")
    assert (one.asked_seats, two.asked_seats) == ([1], [2])
    assert one.view(0) == two.view(0)
    assert one.view(3) == two.view(3)
    assert one.seen_by(3) == two.seen_by(3)


def test_c63_whether_a_discard_was_the_drawn_tile_is_told_to_nobody():
    drawn = Table("classical", "", "5b 7d", live="7d").turn().discard(1, "7d")
    held = Table("classical", "", "7d 7d", live="5b").turn().discard(1, "7d")
    assert drawn.seen_by(3) == held.seen_by(3)
    assert drawn.view(3) == held.view(3)


def test_c63_beaten_claims_leave_no_trace():
    hands = ("3b", "3b 3b", WAITS_3B)
    beaten = Table("classical", *hands).do(0, "discard 3b").do(1, "pung").do(2, "win")
    passed = Table("classical", *hands).do(0, "discard 3b").do(1, "pass").do(2, "win")
    assert beaten.seen_by(3) == passed.seen_by(3)
    assert beaten.view(3) == passed.view(3)


def test_c64_after_a_win_all_concealed_tiles_are_shown_with_the_items():
    table = Table("classical", "3b", "", WAITS_3B).do(0, "discard 3b").do(2, "win")
    (ended,) = (e for e in table.seen_by(1) if isinstance(e, HandEnded))
    assert [len(concealed) for concealed in ended.concealed] == [13, 13, 13, 13]
    assert [hand.seat for hand in ended.settlement.hands] == [0, 1, 2, 3]
    assert table.view(1).result == ended


def test_c64_after_a_hand_without_a_winner_none_are():
    table = Table("classical")
    while table.result is None:
        table.turn()
    (ended,) = (e for e in table.seen_by(1) if isinstance(e, HandEnded))
    assert (ended.concealed, ended.settlement) == ((None,) * 4, None)
