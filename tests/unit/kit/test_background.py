"""What a service does beside its calls."""

import asyncio

import pytest

from mahjong_kit.background import repeating, running
from tests.kit.waiting import until


async def test_step_is_taken_again_and_again_until_the_block_ends_whatever_goes_wrong(logged):
    taken = []

    async def step():
        taken.append(1)
        if len(taken) == 1:
            raise ConnectionError("away")

    async with repeating(step, 0.001, "pruning.postponed"):
        await until(lambda: len(taken) >= 3)
    count = len(taken)
    await asyncio.sleep(0)
    assert len(taken) == count
    assert [line["event"] for line in logged()] == ["pruning.postponed"]


async def test_loop_ends_with_the_block_and_its_fault_is_told():
    entered = asyncio.Event()

    async def fail():
        entered.set()
        raise KeyError("fault")

    with pytest.raises(KeyError):
        async with running(fail()):
            await entered.wait()
