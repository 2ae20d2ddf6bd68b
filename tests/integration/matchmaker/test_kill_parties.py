"""kill -9 of the matchmaker's process with parties in the queue, and while a private table starts."""

import asyncio
import uuid
from collections import Counter

import grpc
import pytest

from mahjongplanet.game.v1 import terms_pb2 as terms
from mahjongplanet.matchmaker.v1 import room_service_pb2 as pb
from mahjongplanet.matchmaker.v1.room_service_pb2_grpc import RoomServiceStub
from tests.integration.matchmaker.test_kill import PATIENCE_S, started
from tests.kit.processes import service_process
from tests.kit.serving import patient_stub

PLAYING = pb.ROOM_STATE_PLAYING
SETTINGS = pb.RoomSettings(
    rule_set=terms.RULE_SET_CLASSICAL, clock=terms.CLOCK_BLITZ, length=terms.MATCH_LENGTH_EAST_ROUND
)


class Friend:
    """Somebody in rooms, who sends each call again until it is answered."""

    def __init__(self, address, token):
        self.address = address
        self.token = token

    async def ask(self, method, **fields):
        request = getattr(pb, f"{method}Request")(**fields)
        async with asyncio.timeout(PATIENCE_S):
            while True:
                try:
                    async with patient_stub(RoomServiceStub, self.address[0]) as stub:
                        return await getattr(stub, method)(request, metadata=self.token)
                except grpc.aio.AioRpcError as error:
                    if error.code() not in {grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.CANCELLED}:
                        raise
                    await asyncio.sleep(0.05)

    async def playing(self, room):
        """Watches a room through restarts until it plays; returns it."""
        async with asyncio.timeout(PATIENCE_S):
            while True:
                try:
                    async with patient_stub(RoomServiceStub, self.address[0]) as stub:
                        request = pb.WatchRoomRequest(room_id=room.room_id)
                        async for update in stub.WatchRoom(request, metadata=self.token):
                            if update.room.state == PLAYING:
                                return update.room
                except grpc.aio.AioRpcError:
                    await asyncio.sleep(0.05)


async def pair_in_a_room(address, issuer):
    host, other = (Friend(address, issuer.player()) for _ in range(2))
    room = (await host.ask("CreateRoom", request_id=str(uuid.uuid4()), settings=SETTINGS)).room
    await other.ask("JoinRoom", code=room.invite.code)
    await other.ask("SetReady", room_id=room.room_id, ready=True)
    return room, host, other


@pytest.mark.timeout(240)
async def test_kills_at_any_moment_split_no_party_and_seat_nobody_twice(fields, hall, issuer):
    address = ["127.0.0.1:1"]

    async def play(number):
        await asyncio.sleep(number * 0.1)
        room, host, other = await pair_in_a_room(address, issuer)
        await host.ask("QueueRoom", request_id=str(uuid.uuid4()), room_id=room.room_id)
        first, second = await asyncio.gather(host.playing(room), other.playing(room))
        assert first.table_id == second.table_id
        return first.table_id

    playing = asyncio.gather(*(play(number) for number in range(20)))
    for life_s in (0.6, 0.9, 1.3, None):
        with service_process("matchmaker", **fields) as process:
            address[0] = await started(process)
            if life_s is None:
                tables = await playing
            else:
                await asyncio.sleep(life_s)
                process.kill()
    assert set(Counter(tables).values()) == {2}
    assert set(tables) == set(hall.tables.values())
    assert set(Counter(hall.people()).values()) == {1}
    assert len(hall.people()) == 40


@pytest.mark.timeout(240)
async def test_kill_while_a_private_table_starts_leads_to_one_table(fields, hall, issuer):
    hall.open.clear()
    address = ["127.0.0.1:1"]
    request_id = str(uuid.uuid4())
    with service_process("matchmaker", **fields) as process:
        address[0] = await started(process)
        room, host, other = await pair_in_a_room(address, issuer)
        starting = asyncio.create_task(
            host.ask("StartRoom", request_id=request_id, room_id=room.room_id, fill=terms.COMPUTER_LEVEL_BASIC)
        )
        async with asyncio.timeout(PATIENCE_S):
            while not hall.calls:
                await asyncio.sleep(0.01)
        process.kill()
    hall.open.set()
    with service_process("matchmaker", **fields) as process:
        address[0] = await started(process)
        await starting  # Sent again under its request id.
        rooms = [await one.playing(room) for one in (host, other)]
    assert {one.table_id for one in rooms} == set(hall.tables.values())
    assert len(hall.requests) == len(set(hall.calls)) == 1
