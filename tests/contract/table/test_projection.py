"""What Redis has of a table: only what has changed is sent, and all of it where Redis has something else."""

import asyncio

import orjson
from redis.exceptions import RedisError

from mahjong_table.core.decide import End
from mahjong_table.projection.keys import deadlines_key, events_key, owner_key, table_key
from tests.kit.table_client import plain_answer
from tests.kit.waiting import until


async def until_true(is_met):
    """Waits until an answer of Redis is as it ought to be."""
    async with asyncio.timeout(60):
        while not await is_met():
            await asyncio.sleep(0.02)


async def take_turn(seat):
    decision = await seat.until_asked()
    await seat.answer(plain_answer(decision), decision_id=decision.decision_id)
    await seat.until(lambda: seat.ended or seat.decision is None or seat.decision.decision_id != decision.decision_id)


class Projected:
    """One table's keys in Redis, beside the table itself."""

    def __init__(self, house, table_id):
        self.redis = house.redis
        self.table = house.worker.keeper.find(table_id)
        self.key = table_key(self.table.shard, table_id)

    async def is_up_to_date(self):
        """Whether Redis has the clocks, the deadline and the events of the table as it is."""
        fields = await self.redis.hgetall(self.key)
        state = self.table.state
        if fields.get(b"sequence") != str(state.sequence).encode():
            return False
        clocks = [orjson.loads(fields[f"clock{seat}".encode()]) for seat in range(4)]
        asked = [None if question is None else question.decision_id for question in state.questions]
        deadline = await self.redis.zscore(deadlines_key(self.table.shard), self.table.table_id)
        heads = {seat: viewer.head for seat, viewer in self.table.audience.viewers.items()}
        return (
            [clock.get("decision_id") for clock in clocks] == asked
            and [clock["reserve_ms"] for clock in clocks] == list(state.reserves)
            and fields[b"stage"] == state.stage.value.encode()
            and deadline is not None
            and {seat: await self._last(seat) for seat in heads} == heads
        )

    async def _last(self, seat):
        newest = await self.redis.xrevrange(events_key(self.table.shard, self.table.table_id, seat), count=1)
        return int(newest[0][0].split(b"-")[0]) if newest else 0

    async def numbers(self, seat):
        """Returns the sequences of all events that Redis has for a seat."""
        events = await self.redis.xrange(events_key(self.table.shard, self.table.table_id, seat))
        return [int(number.split(b"-")[0]) for number, _ in events]


async def test_redis_follows_a_table_move_by_move(house):
    (seat,) = await house.seats(1)
    projected = Projected(house, seat.table_id)
    for _ in range(4):
        await take_turn(seat)
        await until_true(projected.is_up_to_date)
    numbers = await projected.numbers(0)
    assert numbers == list(range(1, numbers[-1] + 1))
    assert await house.redis.pttl(projected.key) > 24 * 60 * 60 * 1000
    address = house.worker._projector.address.encode()

    async def has_owner():
        return await house.redis.get(owner_key(projected.table.shard)) == address

    await until_true(has_owner)


async def test_redis_that_has_an_older_state_than_it_was_sent_gets_everything(house):
    (seat,) = await house.seats(1)
    projected = Projected(house, seat.table_id)
    await take_turn(seat)
    await until_true(projected.is_up_to_date)
    await house.redis.hset(projected.key, mapping={"sequence": 1, "clock2": b'{"reserve_ms":1}', "stage": "nonces"})
    await take_turn(seat)
    await until_true(projected.is_up_to_date)


async def test_redis_that_was_wiped_gets_the_events_that_are_still_known_without_a_gap(open_house):
    async with open_house(recent_events_max=2) as house:
        (seat,) = await house.seats(1)
        projected = Projected(house, seat.table_id)
        await take_turn(seat)
        await until_true(projected.is_up_to_date)
        await house.redis.flushall()
        await take_turn(seat)
        await until_true(projected.is_up_to_date)
        numbers = await projected.numbers(0)
        assert numbers[0] > 1
        assert numbers == list(range(numbers[0], numbers[-1] + 1))


async def test_redis_forgets_a_table_that_has_ended(house):
    (seat,) = await house.seats(1)
    projected = Projected(house, seat.table_id)
    await until_true(projected.is_up_to_date)
    await house.worker.keeper.find(seat.table_id).ask(End())
    await seat.until(lambda: seat.ended)

    async def is_forgotten():
        return not await house.redis.keys(f"*{seat.table_id}*")

    await until_true(is_forgotten)


async def test_tables_wait_for_their_projection_only_while_redis_is_away(house, monkeypatch):
    """What gathers between two writes is no backlog: an alert counts what waits."""
    (seat,) = await house.seats(1)

    async def waiting(count):
        await until(lambda: house.metric("projections_waiting") == count)

    async def away(_):
        raise RedisError

    with monkeypatch.context() as patched:
        patched.setattr(house.redis, "send_all", away)
        await take_turn(seat)
        await waiting(1)
    await waiting(0)
