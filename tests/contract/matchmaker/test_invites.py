"""Invites: codes and links, wrong ones, old ones, too many."""

import asyncio

import grpc
import pytest

from mahjong_kit.errors import retry_after_s
from tests.contract.matchmaker.conftest import new_id
from tests.kit.wire import refused


async def reason_of(call):
    with refused() as refusal:
        await call
    return refusal.reason


async def test_code_may_be_typed_as_people_type(guest):
    room = await guest().open()
    code = room.invite.code
    assert len(code) == 8
    typed = f" {code[:4].lower()}-{code[4:]} ".replace("0", "o").replace("1", "l")
    assert (await guest().ask("JoinRoom", code=typed)).room_id == room.room_id


async def test_invite_tells_what_it_leads_to_before_joining(guest):
    room = await guest("Ann").open(computers=[1])
    for invite in ({"code": room.invite.code}, {"link_token": room.invite.link_token}):
        found = await guest().ask("GetInvite", **invite)
        assert (found.room_id, found.host_display_name) == (room.room_id, "Ann")
        assert (found.player_count, found.computer_count, found.open_seat_count) == (1, 1, 2)


async def test_link_leads_into_the_room(guest):
    room = await guest().open()
    assert (await guest().ask("JoinRoom", link_token=room.invite.link_token)).room_id == room.room_id


async def test_renewed_invite_ends_the_old_ones(guest):
    host = guest()
    room = await host.open()
    renewed = await host.ask("RenewInvite", room_id=room.room_id)
    assert renewed.invite.code != room.invite.code
    for invite in ({"code": room.invite.code}, {"link_token": room.invite.link_token}):
        assert await reason_of(guest().ask("JoinRoom", **invite)) == "INVITE_EXPIRED"
    for invite in ({"code": renewed.invite.code}, {"link_token": renewed.invite.link_token}):
        assert (await guest().ask("JoinRoom", **invite)).room_id == room.room_id


async def test_invite_ends_after_a_day(guest, clock):
    host = guest()
    room = await host.open()
    clock.move(86_401)
    for invite in ({"code": room.invite.code}, {"link_token": room.invite.link_token}):
        assert await reason_of(guest().ask("JoinRoom", **invite)) == "INVITE_EXPIRED"


@pytest.mark.parametrize("code", ["00000000", "ABC", "ABCDEFGHJ", "ÄÖÜ-!!!!", "UUUUUUUU"])
async def test_wrong_code_leads_nowhere(guest, code):
    with refused() as refusal:
        await guest().ask("JoinRoom", code=code)
    assert (refusal.code, refusal.reason) == (grpc.StatusCode.NOT_FOUND, "INVITE_NOT_FOUND")


async def test_forged_link_leads_nowhere(guest):
    room = await guest().open()
    token = room.invite.link_token
    forged = [token[:-2], token[:10] + ("A" if token[10] != "A" else "B") + token[11:], "x", "%%%", "é" * 10]
    for text in forged:
        assert await reason_of(guest().ask("JoinRoom", link_token=text)) == "INVITE_NOT_FOUND"


async def test_guessing_is_stopped_and_does_not_stop_others(guest):
    room = await guest().open()
    guesser = guest()
    reasons = [await reason_of(guesser.ask("JoinRoom", code=f"0000000{index}")) for index in range(10)]
    assert set(reasons) == {"INVITE_NOT_FOUND"}
    with refused() as refusal:
        await guesser.ask("JoinRoom", code=room.invite.code)
    assert (refusal.code, refusal.reason) == (grpc.StatusCode.RESOURCE_EXHAUSTED, "RATE_LIMITED")
    assert refusal.metadata == {"limit": "invites"}
    assert 0 < (retry_after_s(refusal.error) or 0) <= 60
    assert (await guest().enter(room)).room_id == room.room_id


async def test_rooms_cannot_be_opened_in_heaps(guest):
    host, reasons = guest(), []
    for _ in range(40):
        try:
            room = await host.open()
            await host.ask("LeaveRoom", room_id=room.room_id)
        except grpc.aio.AioRpcError as error:
            reasons.append(error.code())
    assert reasons == [grpc.StatusCode.RESOURCE_EXHAUSTED] * 10


async def test_ten_thousand_joins_by_one_account_take_one_seat(guest):
    host, joiner = guest(), guest()
    room = await host.open()
    others = [await guest().open() for _ in range(3)]

    async def join(number):
        try:
            return (await joiner.enter([room, *others][number % 4])).room_id
        except grpc.aio.AioRpcError as error:
            return error.code()

    await joiner.enter(room)
    answers = [one for _ in range(50) for one in await asyncio.gather(*map(join, range(200)))]
    assert answers.count(room.room_id) == 2_500, "the room it is in already"
    assert set(answers) == {room.room_id, grpc.StatusCode.ALREADY_EXISTS, grpc.StatusCode.RESOURCE_EXHAUSTED}
    after = await host.my_room()
    assert [seat.player.player_id for seat in after.seats].count(joiner.player_id) == 1


async def test_ten_thousand_queue_joins_by_one_account_make_one_ticket(person):
    one = person()

    async def join(_):
        try:
            return (await one.join(request_id=new_id())).ticket_id
        except grpc.aio.AioRpcError as error:
            return error.code()

    answers = [answer for _ in range(50) for answer in await asyncio.gather(*map(join, range(200)))]
    assert len([answer for answer in answers if isinstance(answer, str)]) == 1
    assert {answer for answer in answers if not isinstance(answer, str)} == {
        grpc.StatusCode.ALREADY_EXISTS,
        grpc.StatusCode.RESOURCE_EXHAUSTED,
    }
    assert (await one.mine()).waiting_count == 1
