"""One timer for all deadlines."""

import asyncio
from dataclasses import dataclass, field

from mahjong_table.wheel import Wheel


class SetClock:
    """A clock that is moved by the test."""

    def __init__(self):
        self.ms = 1_000

    def now(self):
        return self.ms


@dataclass(eq=False)
class Sleeper:
    wheel: Wheel
    due_at: int | None = None
    queued_at: int | None = None
    woken: list = field(default_factory=list)

    def wake(self, now):
        self.woken.append(now)


def wheel_of(clock):
    return Wheel(clock)


async def ring(wheel, clock, at):
    """Moves time and lets the wheel's own timer ring."""
    clock.ms = at
    wheel._ring()
    await asyncio.sleep(0)


async def test_sleepers_are_woken_at_their_time_in_order():
    clock = SetClock()
    wheel = wheel_of(clock)
    one, two = Sleeper(wheel), Sleeper(wheel)
    wheel.set(one, 1_300)
    wheel.set(two, 1_200)
    await ring(wheel, clock, 1_199)
    assert (one.woken, two.woken) == ([], [])
    await ring(wheel, clock, 1_250)
    assert (one.woken, two.woken) == ([], [1_250])
    await ring(wheel, clock, 1_300)
    assert (one.woken, two.woken) == ([1_300], [1_250])
    wheel.close()


async def test_a_time_that_is_moved_counts_as_it_stands_last():
    clock = SetClock()
    wheel = wheel_of(clock)
    sleeper = Sleeper(wheel)
    for at in (1_500, 1_900, 1_700):
        wheel.set(sleeper, at)
    await ring(wheel, clock, 1_600)
    assert sleeper.woken == []
    await ring(wheel, clock, 1_700)
    assert sleeper.woken == [1_700]
    wheel.set(sleeper, 1_900)
    wheel.set(sleeper, 1_800)
    await ring(wheel, clock, 2_000)
    assert sleeper.woken == [1_700, 2_000]
    wheel.close()


async def test_a_sleeper_without_a_time_is_let_sleep():
    clock = SetClock()
    wheel = wheel_of(clock)
    sleeper = Sleeper(wheel)
    wheel.set(sleeper, 1_100)
    wheel.set(sleeper, None)
    await ring(wheel, clock, 5_000)
    assert sleeper.woken == []
    wheel.close()


async def test_the_heap_stays_small_however_often_times_move():
    clock = SetClock()
    wheel = wheel_of(clock)
    sleeper = Sleeper(wheel)
    for at in range(2_000, 3_000):
        wheel.set(sleeper, at)
    assert len(wheel._heap) == 1
    wheel.close()


async def test_the_most_overdue_deadline_is_measured():
    clock = SetClock()
    wheel = wheel_of(clock)
    wheel.set(Sleeper(wheel), 1_100)
    assert wheel.most_overdue_ms == 0
    clock.ms = 1_850
    assert wheel.most_overdue_ms == 750
    wheel.close()


async def test_the_timer_rings_by_itself():
    class RunningClock:
        def now(self):
            return round(asyncio.get_running_loop().time() * 1000)

    clock = RunningClock()
    wheel = wheel_of(clock)
    woken = asyncio.Event()
    sleeper = Sleeper(wheel)
    sleeper.wake = lambda now: woken.set()
    wheel.set(sleeper, clock.now() + 20)
    async with asyncio.timeout(60):
        await woken.wait()
    wheel.close()


async def test_a_wheel_that_has_many_to_wake_lets_others_act_in_between():
    clock = SetClock()
    wheel = wheel_of(clock)
    sleepers = [Sleeper(wheel) for _ in range(100)]
    for sleeper in sleepers:
        wheel.set(sleeper, 1_100)
    clock.ms = 1_200
    wheel._ring()
    woken = sum(len(sleeper.woken) for sleeper in sleepers)
    assert 0 < woken < 100
    async with asyncio.timeout(60):
        while not all(sleeper.woken for sleeper in sleepers):
            await asyncio.sleep(0.001)
    assert all(sleeper.woken == [1_200] for sleeper in sleepers)
    wheel.close()
