"""Players who have blocked each other, by the real account service: they do not meet."""

import asyncio

import grpc
import pytest

from mahjong_kit.errors import reason_of
from mahjong_matchmaker.blocks import BlockList
from mahjongplanet.account.v1.account_service_pb2 import CreateGuestRequest
from mahjongplanet.account.v1.account_service_pb2_grpc import AccountServiceStub
from mahjongplanet.account.v1.friend_service_pb2 import BlockPlayerRequest
from mahjongplanet.account.v1.friend_service_pb2_grpc import FriendServiceStub
from mahjongplanet.matchmaker.v1 import matchmaker_service_pb2 as pb
from tests.kit.serving import patient_stub
from tests.kit.wire import refused


@pytest.fixture
async def known(account_address, guest):
    """Makes players who have accounts."""
    async with patient_stub(AccountServiceStub, account_address) as accounts:

        async def make():
            answer = await accounts.CreateGuest(CreateGuestRequest())
            one = guest()
            one.player_id = answer.profile.player_id
            one.token = (("authorization", f"Bearer {answer.session.access_token}"),)
            return one

        yield make


@pytest.fixture
async def block(account_address):
    async with patient_stub(FriendServiceStub, account_address) as friends:

        async def send(one, other):
            await friends.BlockPlayer(BlockPlayerRequest(player_id=other.player_id), metadata=one.token)

        yield send


async def test_blocked_player_is_never_seated_beside_who_has_blocked_them(known, block, guest, hall, clock):
    one, other = await known(), await known()
    await block(one, other)
    people = [one, other, *(guest() for _ in range(5))]
    tickets = [await each.join() for each in people]
    watching = asyncio.gather(*(each.end_of(ticket.ticket_id) for each, ticket in zip(people, tickets, strict=True)))
    async with asyncio.timeout(60):
        while not hall.requests:
            await asyncio.sleep(0.02)
    clock.move(15)  # Computers join those who are left.
    ends = await watching
    assert {end.state for end in ends} == {pb.TICKET_STATE_MATCHED}
    assert ends[0].table_id != ends[1].table_id


async def test_blocked_player_cannot_enter_the_room_of_who_has_blocked_them(known, block):
    host, other = await known(), await known()
    room = await host.open()
    await block(host, other)
    with refused() as refusal:
        await other.enter(room)
    assert (refusal.code, refusal.reason) == (grpc.StatusCode.PERMISSION_DENIED, "ROOM_REFUSED")


async def test_of_two_who_block_each_other_and_enter_at_once_one_gets_in(known, block, monkeypatch):
    host, one, other = await known(), await known(), await known()
    await block(one, other)
    room = await host.open()
    both_asked = asyncio.Barrier(2)
    are_apart = BlockList.are_apart

    async def asked_by_both(self, player_id, others):
        answer = await are_apart(self, player_id, others)
        if len(others) == 1:
            await both_asked.wait()
        return answer

    monkeypatch.setattr(BlockList, "are_apart", asked_by_both)
    entered = await asyncio.gather(one.enter(room), other.enter(room), return_exceptions=True)
    (lost,) = [answer for answer in entered if isinstance(answer, Exception)]
    assert isinstance(lost, grpc.aio.AioRpcError)
    assert reason_of(lost) == "ERROR_REASON_ROOM_REFUSED"
    people = [seat.player for seat in (await host.my_room()).seats if seat.HasField("player")]
    assert len(people) == 2
