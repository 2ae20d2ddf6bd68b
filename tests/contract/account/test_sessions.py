"""Refresh tokens: rotation, lost answers, reuse, races, sign-out."""

import asyncio

import grpc
import pytest

from mahjongplanet.account.v1 import account_service_pb2 as pb
from tests.kit.tokens import bearer
from tests.kit.wire import refused

DAY_S = 86_400


async def new_session(account):
    return (await account.CreateGuest(pb.CreateGuestRequest(display_name="Lin"))).session


async def refresh(account, token):
    return await account.RefreshSession(pb.RefreshSessionRequest(refresh_token=token))


async def is_refused(account, token, reason):
    with refused() as refusal:
        await refresh(account, token)
    assert (refusal.code, refusal.reason) == (grpc.StatusCode.UNAUTHENTICATED, reason)


async def test_refresh_gives_new_tokens_of_the_same_player(account, clock):
    guest = await account.CreateGuest(pb.CreateGuestRequest(display_name="Lin"))
    clock.now += 800
    refreshed = await refresh(account, guest.session.refresh_token)
    assert refreshed.profile == guest.profile
    assert refreshed.session.refresh_token != guest.session.refresh_token
    assert refreshed.session.access_expire_time.seconds == int(clock.now) + 900
    assert refreshed.session.refresh_expire_time.seconds == int(clock.now) + 90 * DAY_S
    me = bearer(refreshed.session.access_token)
    assert (await account.GetMyAccount(pb.GetMyAccountRequest(), metadata=me)).profile == guest.profile


async def test_refreshed_access_token_carries_the_new_name(account, clock):
    session = await new_session(account)
    renamed = pb.SetMyDisplayNameRequest(display_name="Mei")
    await account.SetMyDisplayName(renamed, metadata=bearer(session.access_token))
    assert (await refresh(account, session.refresh_token)).profile.display_name == "Mei"


async def test_tokens_refresh_one_after_the_other(account, clock):
    token = (await new_session(account)).refresh_token
    for _ in range(5):
        clock.now += 900
        token = (await refresh(account, token)).session.refresh_token


async def test_repeat_within_ten_seconds_gives_the_same_session_again(account, clock):
    session = await new_session(account)
    clock.now += 900
    first = await refresh(account, session.refresh_token)
    clock.now += 10
    assert await refresh(account, session.refresh_token) == first
    await refresh(account, first.session.refresh_token)


async def test_reuse_after_ten_seconds_ends_the_whole_family(account, clock):
    first = (await new_session(account)).refresh_token
    second = (await refresh(account, first)).session.refresh_token
    third = (await refresh(account, second)).session.refresh_token
    clock.now += 10.1
    await is_refused(account, first, "REFRESH_TOKEN_REUSED")
    await is_refused(account, third, "REFRESH_TOKEN_INVALID")
    await is_refused(account, second, "REFRESH_TOKEN_INVALID")


async def test_reuse_leaves_other_sessions_alone(account, clock):
    first, other = await new_session(account), await new_session(account)
    await refresh(account, first.refresh_token)
    clock.now += 11
    await is_refused(account, first.refresh_token, "REFRESH_TOKEN_REUSED")
    await refresh(account, other.refresh_token)


async def test_copies_of_one_token_sent_at_once_get_the_same_session(account):
    session = await new_session(account)
    answers = await asyncio.gather(*(refresh(account, session.refresh_token) for _ in range(12)))
    assert all(answer == answers[0] for answer in answers)
    await refresh(account, answers[0].session.refresh_token)


async def test_token_that_nobody_gave_is_invalid(account):
    await is_refused(account, "x" * 43, "REFRESH_TOKEN_INVALID")


async def test_access_token_is_no_refresh_token(account):
    session = await new_session(account)
    with refused() as refusal:
        await refresh(account, session.access_token)
    assert refusal.reason == "INVALID_FIELD"


@pytest.mark.parametrize("token", ["", "x" * 257])
@pytest.mark.parametrize("method", ["RefreshSession", "SignOut"])
async def test_token_of_an_impossible_length_is_an_invalid_field(account, method, token):
    with refused() as refusal:
        await getattr(account, method)(getattr(pb, f"{method}Request")(refresh_token=token))
    assert (refusal.code, refusal.reason) == (grpc.StatusCode.INVALID_ARGUMENT, "INVALID_FIELD")
    assert refusal.metadata["field"] == "refresh_token"


async def test_token_that_rested_too_long_is_invalid(account, clock):
    session = await new_session(account)
    clock.now += 90 * DAY_S
    await is_refused(account, session.refresh_token, "REFRESH_TOKEN_INVALID")


async def test_refused_refresh_does_not_spend_the_token(account, clock):
    session = await new_session(account)
    clock.now += 90 * DAY_S
    await is_refused(account, session.refresh_token, "REFRESH_TOKEN_INVALID")
    clock.now -= 1
    await refresh(account, session.refresh_token)


async def test_signed_out_session_does_not_come_back(account):
    session = await new_session(account)
    await account.SignOut(pb.SignOutRequest(refresh_token=session.refresh_token))
    await is_refused(account, session.refresh_token, "REFRESH_TOKEN_INVALID")


async def test_sign_out_twice_or_of_nobody_changes_nothing(account):
    session = await new_session(account)
    for token in (session.refresh_token, session.refresh_token, "x" * 43):
        await account.SignOut(pb.SignOutRequest(refresh_token=token))


async def test_sign_out_by_a_spent_token_ends_the_session(account):
    session = await new_session(account)
    second = (await refresh(account, session.refresh_token)).session.refresh_token
    await account.SignOut(pb.SignOutRequest(refresh_token=session.refresh_token))
    await is_refused(account, second, "REFRESH_TOKEN_INVALID")


async def test_access_token_lives_on_after_sign_out(account):
    session = await new_session(account)
    await account.SignOut(pb.SignOutRequest(refresh_token=session.refresh_token))
    await account.GetMyAccount(pb.GetMyAccountRequest(), metadata=bearer(session.access_token))


async def test_expired_access_token_of_a_living_session_says_so(account, clock):
    session = await new_session(account)
    clock.now += 900
    with refused() as refusal:
        await account.GetMyAccount(pb.GetMyAccountRequest(), metadata=bearer(session.access_token))
    assert refusal.reason == "SESSION_EXPIRED"


async def test_public_method_does_not_mind_an_expired_access_token(account, clock):
    session = await new_session(account)
    clock.now += 900
    request = pb.RefreshSessionRequest(refresh_token=session.refresh_token)
    await account.RefreshSession(request, metadata=bearer(session.access_token))
