"""Open sessions: listed, ended one by one, ended all."""

import grpc
import pytest

from mahjongplanet.account.v1 import account_service_pb2 as pb
from tests.contract.account.people import guest, registered, sign_in
from tests.kit.wire import refused


async def list_sessions(account, person):
    return (await account.ListMySessions(pb.ListMySessionsRequest(), metadata=person.me)).sessions


async def is_over(account, person):
    with refused() as refusal:
        await account.RefreshSession(pb.RefreshSessionRequest(refresh_token=person.session.refresh_token))
    assert refusal.reason == "REFRESH_TOKEN_INVALID"


async def test_sessions_are_listed_with_their_devices_the_last_used_first(account, clock):
    laptop = await registered(account, "lin", device_name="laptop")
    clock.now += 100
    phone = await sign_in(account, "lin", device_name=" phone ")
    clock.now += 100
    await account.RefreshSession(pb.RefreshSessionRequest(refresh_token=laptop.session.refresh_token))
    first, second = await list_sessions(account, phone)
    assert [(one.device_name, one.is_current) for one in (first, second)] == [("laptop", False), ("phone", True)]
    assert first.create_time.seconds == int(clock.now) - 200
    assert first.refresh_time.seconds == int(clock.now)
    assert first.expire_time.seconds == int(clock.now) + 90 * 86_400


async def test_one_session_is_ended_and_the_others_go_on(account):
    lost, kept = await registered(account, "lin", device_name="lost"), await sign_in(account, "lin")
    (session_id,) = (one.session_id for one in await list_sessions(account, kept) if one.device_name == "lost")
    for _ in range(2):
        await account.EndMySession(pb.EndMySessionRequest(session_id=session_id), metadata=kept.me)
    await is_over(account, lost)
    assert [one.is_current for one in await list_sessions(account, kept)] == [True]
    await account.RefreshSession(pb.RefreshSessionRequest(refresh_token=kept.session.refresh_token))


async def test_sessions_of_others_cannot_be_ended(account):
    mine, other = await guest(account), await guest(account)
    (theirs,) = await list_sessions(account, other)
    with refused() as refusal:
        await account.EndMySession(pb.EndMySessionRequest(session_id=theirs.session_id), metadata=mine.me)
    assert (refusal.code, refusal.reason) == (grpc.StatusCode.NOT_FOUND, "SESSION_NOT_FOUND")
    assert len(await list_sessions(account, other)) == 1


async def test_sign_out_everywhere_ends_every_session_of_the_player_only(account):
    other = await guest(account)
    people = [await registered(account, "lin"), *[await sign_in(account, "lin") for _ in range(3)]]
    request = pb.SignOutEverywhereRequest()
    assert (await account.SignOutEverywhere(request, metadata=people[0].me)).ended_count == 4
    assert (await account.SignOutEverywhere(request, metadata=people[0].me)).ended_count == 0
    for person in people:
        await is_over(account, person)
    await account.RefreshSession(pb.RefreshSessionRequest(refresh_token=other.session.refresh_token))


async def test_fifty_first_session_ends_the_one_used_longest_ago(account, clock):
    people = [await registered(account, "lin")]
    for _ in range(50):
        clock.now += 1
        people.append(await sign_in(account, "lin"))
    assert len(await list_sessions(account, people[-1])) == 50
    await is_over(account, people[0])
    await account.RefreshSession(pb.RefreshSessionRequest(refresh_token=people[1].session.refresh_token))


@pytest.mark.parametrize("name", ["x" * 65, "a\nb"])
async def test_device_name_that_may_not_be_is_refused(account, name):
    with refused() as refusal:
        await account.CreateGuest(pb.CreateGuestRequest(device_name=name))
    assert (refusal.reason, refusal.metadata["field"]) == ("INVALID_FIELD", "device_name")
