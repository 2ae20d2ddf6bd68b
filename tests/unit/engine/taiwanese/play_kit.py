"""Tables of the Taiwanese game on the way that tests of play need them."""

from tests.unit.engine.hand_kit import Table

WAITS_3B = "1b 2b 4c 5c 6c 7d 8d 9d E E E R R R W W"
WAITS_3B_TOO = "4b 5b 1c 2c 3c 7c 8c 9c S S S N N N G G"
SEVEN = "f1 f2 f3 f4 s1 s2 s3"


def table_of(*hands, **wishes):
    """Returns a table whose opening is over, nobody having called."""
    table = Table("taiwanese", *hands, **wishes)
    while table.state.phase == "opening_call":
        table.do(table.asked_seats[0], "no_original_call")
    return table


def drain(table, left=0):
    """Plays on until so many live tiles are left, nobody claiming anything."""
    while table.left > left:
        table.turn()
    return table


def last_seat():
    """Returns the seat that draws the last live tile when nobody claims anything."""
    return drain(table_of()).state.actor


def hands_of(**by_seat):
    """Returns four hands, `s1="3*E"` naming that of seat 1."""
    return [by_seat.get(f"s{seat}", "") for seat in range(4)]


def promoted(robber=WAITS_3B, third="", **wishes):
    """Returns a table where East has claimed a pung of 3b, holds the fourth, and is in turn again."""
    table = table_of("3*3b 9d 9d 1d", robber, third, "3b", live="8c 7d 7d 8c 8c", **wishes).discard(0, "9d").turns(2)
    table.do(3, "discard 3b")
    for seat in [s for s in table.asked_seats if s != 0]:
        table.do(seat, "pass")
    return table.do(0, "pung").discard(0, "1d").turns(3)
