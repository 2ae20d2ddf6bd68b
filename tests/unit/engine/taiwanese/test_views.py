"""Section 15 of docs/rules/taiwanese.md: what is shown to whom."""

from mahjong_engine.event import HandDealt, HandEnded, OriginalCallsMade, Wall
from tests.unit.engine.hand_kit import Table, codes
from tests.unit.engine.taiwanese.play_kit import SEVEN, WAITS_3B, drain, table_of


def test_t64_everyone_sees_what_is_public():
    table = table_of("9d", "f1", "9d 9d 1b", dealer=1, round_=1).do(1, "discard 9d").do(3, "pung")
    for seat in range(4):
        view = table.view(seat)
        assert (view.dealer, codes([view.round_wind]), view.turn) == (1, "S", 3)
        assert view.melds[3][0].from_seat == 1
        assert codes(view.bonus[2]) == "f1"
        assert view.concealed_counts == (16, 16, 16, 14)
        assert (view.live_tiles_left, view.reserve_tiles_left) == (62, 16)


def test_t64_everyone_sees_from_which_wall_the_seat_in_turn_drew():
    table = table_of(live="f1").turn()
    assert [table.view(seat).drew_from for seat in range(4)] == [Wall.RESERVE] * 4


def test_t65_a_seat_alone_sees_its_tiles_and_what_it_may_answer():
    table = table_of(live="5b").turn()
    assert (codes([table.view(1).drawn]), table.view(2).drawn) == ("5b", None)
    assert (table.view(1).decision is None, table.view(2).decision) == (False, None)
    (dealt,) = (e for e in table.seen_by(2) if isinstance(e, HandDealt))
    assert [tiles is not None for tiles in dealt.concealed] == [False, False, True, False]


def test_t65_nobody_is_told_who_was_asked_for_an_original_call():
    junk = "1b 3b 5b 7b 9b 2c 4c 6c 8c 1d 3d 5d 7d S N G"
    south, west = Table("taiwanese", "", WAITS_3B, junk), Table("taiwanese", "", junk, WAITS_3B)
    assert (south.asked_seats, west.asked_seats) == ([1], [2])
    for seat in (0, 3):
        assert south.view(seat) == west.view(seat)
        assert south.seen_by(seat) == west.seen_by(seat)


def test_t64_everyone_sees_the_eighth_flower_that_is_offered_and_whose_it_is():
    table = table_of("", SEVEN, live="9d s4").turns(2)
    assert {(codes([table.view(seat).offered]), table.view(seat).offered_by) for seat in range(4)} == {("s4", 2)}
    own = table_of("f1", "f2 f3 f4 s1 s2 s3", live="s4").turn()
    assert (codes([own.view(3).offered]), own.view(3).offered_by) == ("f1", 0)


def test_a_state_does_not_print_its_tiles():
    assert repr(table_of().state) == "<hand 0 of taiwanese: turn after 0 answers>"


def test_t65_declined_calls_leave_no_trace():
    asked = Table("taiwanese", "", WAITS_3B).do(1, "no_original_call")
    assert [e for e in asked.seen_by(0) if isinstance(e, OriginalCallsMade)] == [OriginalCallsMade(())]


def test_t66_after_a_win_a_flower_win_included_all_concealed_tiles_are_shown():
    for table in (table_of("3b", WAITS_3B).do(0, "discard 3b").do(1, "win"), Table("taiwanese", "s4 " + SEVEN)):
        (ended,) = (e for e in table.seen_by(3) if isinstance(e, HandEnded))
        assert all(concealed is not None for concealed in ended.concealed)
        assert ended.settlement.hands != ()


def test_t66_after_a_hand_without_a_winner_none_are():
    table = drain(table_of()).turn()
    assert table.view(2).result.concealed == (None,) * 4
