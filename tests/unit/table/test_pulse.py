"""A worker notices that it stood still."""

from mahjong_table.pulse import Pulse


class SetClock:
    at = 0

    def now(self):
        return self.at


def test_a_pause_of_the_process_is_told_once_and_ordinary_lag_never():
    clock, told = SetClock(), []
    pulse = Pulse(clock, told.append)
    for at in (100, 599, 3_599, 3_600):
        clock.at = at
        pulse.beat()
    assert told == [3_000]
