"""EchoHeartbeat: the server measures the way to a player and back; no client gains more than the greatest credit."""

import asyncio

import pytest

from mahjong_engine.tile import Seat
from mahjong_table.core.entry import Answered
from mahjong_table.store.log import Log
from tests.contract.table.test_playing import discard_of, east_to_discard
from tests.kit.table_log import log_of
from tests.kit.wire import refused

MAX_MS = 250


@pytest.fixture(params=["own stream", "shared stream"])
async def house(open_house, request):
    """A table service that measures all the time."""
    async with open_house(echo_period_s=0.1, heartbeat_s=0.2, latency_credit_max_ms=MAX_MS) as opened:
        opened.is_shared = request.param == "shared stream"
        yield opened


def credit_of(house, client):
    return house.worker.keeper.find(client.table_id).audience.credit_ms(Seat(0))


async def echoed(client, count, delay_s=0.0):
    """Echoes that many heartbeats, each after a delay."""
    for _ in range(count):
        asked = len(client.echo_ids)
        await client.until(lambda n=asked: len(client.echo_ids) > n)
        newest = client.echo_ids[-1]
        await asyncio.sleep(delay_s)
        await client.echo(newest)


async def test_a_client_that_echoes_is_credited_with_its_round_trip(house):
    east, *_ = await east_to_discard(house)
    assert credit_of(house, east) == 0
    async with asyncio.timeout(60):
        while not credit_of(house, east):
            await echoed(east, 1, delay_s=0.03)
    assert 30 <= credit_of(house, east) <= MAX_MS


async def test_a_client_that_stalls_its_echoes_gains_the_greatest_credit_at_most(open_house):
    async with open_house(echo_period_s=1.0, heartbeat_s=0.2, latency_credit_max_ms=MAX_MS) as house:
        east, *_ = await east_to_discard(house)
        async with asyncio.timeout(60):
            while not credit_of(house, east):
                await echoed(east, 1, delay_s=0.5)
        assert credit_of(house, east) == MAX_MS


async def test_a_client_that_makes_echoes_up_gains_nothing(house):
    east, *_ = await east_to_discard(house)
    for guess in range(20):
        await east.echo(f"{guess:016x}")
    assert credit_of(house, east) == 0


async def test_an_echo_counts_once_and_only_for_the_newest_heartbeat(house):
    east, *_ = await east_to_discard(house)
    await east.until(lambda: len(east.echo_ids) >= 2)
    await east.echo(east.echo_ids[0])
    assert credit_of(house, east) == 0


async def test_a_new_stream_starts_without_what_the_old_one_had(house):
    east, *_ = await east_to_discard(house)
    async with asyncio.timeout(60):
        while not credit_of(house, east):
            await echoed(east, 1, delay_s=0.03)
    await east.watch(after=0)
    await east.until(lambda: len(east.snapshots) == 2)
    assert credit_of(house, east) == 0


async def test_what_the_server_measured_is_not_charged(open_house):
    """The base time is over when the answer comes, but by less than its way took."""
    async with open_house(echo_period_s=1.0, heartbeat_s=0.2, latency_credit_max_ms=MAX_MS) as house:
        east, *_ = await east_to_discard(house)
        table = house.worker.keeper.find(east.table_id)
        async with asyncio.timeout(60):
            while not credit_of(house, east):
                await echoed(east, 1, delay_s=0.5)
        base_end = table.state.questions[Seat(0)].window.base_end
        while (now := house.worker.env.clock.now()) <= base_end:
            await asyncio.sleep((base_end - now + 1) / 1000)
        await east.answer(discard_of(east))
        received_at = house.worker.env.clock.now()
        answers = [e for e in await log_of(Log(house.database), east.table_id) if isinstance(e.what, Answered)]
        assert answers[-1].what.charge_ms <= max(0, received_at - base_end - MAX_MS)


@pytest.mark.parametrize("echo_id", ["", "0" * 33])
async def test_an_echo_of_a_wrong_length_is_refused(house, echo_id):
    east, *_ = await east_to_discard(house)
    with refused() as refusal:
        await east.echo(echo_id)
    assert refusal.reason == "INVALID_FIELD"
    assert refusal.metadata["field"] == "echo_id"


async def test_an_echo_at_anothers_table_is_refused(house):
    (one,), (other,) = await house.seats(1), await house.seats(1)
    one.table_id = other.table_id
    with refused() as refusal:
        await one.echo("0" * 16)
    assert refusal.reason == "NOT_SEATED"
