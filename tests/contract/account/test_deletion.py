"""Deletion of accounts, and that replay and rating are told until they have answered."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import grpc
import pytest

from mahjong_account import farewells, migrations
from mahjong_account.__main__ import open_server
from mahjong_account.farewell_rows import SERVICES
from mahjong_account.store import AccountStore
from mahjong_kit.metrics import ServiceMetrics
from mahjong_kit.server import serving
from mahjong_kit.sql import open_database
from mahjongplanet.account.v1 import account_service_pb2 as pb
from mahjongplanet.account.v1 import friend_service_pb2 as friend_pb
from mahjongplanet.account.v1.account_service_pb2_grpc import AccountServiceStub
from tests.contract.account.people import OTHER_PASSWORD, PASSWORD, guest, registered, sign_in
from tests.contract.account.receivers import Receivers, receiving
from tests.kit.serving import patient_stub
from tests.kit.waiting import until
from tests.kit.wire import refused


async def delete(account, person, password=PASSWORD):
    await account.DeleteMyAccount(pb.DeleteMyAccountRequest(password=password), metadata=person.me)


async def is_gone(account, person):
    with refused() as refusal:
        await account.GetMyAccount(pb.GetMyAccountRequest(), metadata=person.me)
    assert (refusal.code, refusal.reason) == (grpc.StatusCode.NOT_FOUND, "ACCOUNT_NOT_FOUND")


async def test_deleted_account_has_no_name_no_sessions_and_no_friends(account, friends):
    person, other = await registered(account, "lin", "Lin"), await guest(account, "Mei")
    await friends.SendFriendRequest(friend_pb.SendFriendRequestRequest(player_id=other.player_id), metadata=person.me)
    await friends.AcceptFriendRequest(
        friend_pb.AcceptFriendRequestRequest(player_id=person.player_id), metadata=other.me
    )
    await delete(account, person)
    await is_gone(account, person)
    with refused() as refusal:
        await account.RefreshSession(pb.RefreshSessionRequest(refresh_token=person.session.refresh_token))
    assert refusal.reason == "REFRESH_TOKEN_INVALID"
    with refused() as refusal:
        await sign_in(account, "lin")
    assert refusal.reason == "SIGN_IN_REFUSED"
    assert not (await friends.ListFriends(friend_pb.ListFriendsRequest(), metadata=other.me)).friends
    request = pb.BatchGetProfilesRequest(player_ids=[person.player_id])
    (profile,) = (await account.BatchGetProfiles(request, metadata=other.me)).profiles
    assert profile == pb.Profile(player_id=person.player_id, display_name="Deleted player", is_deleted=True)


async def test_names_of_a_deleted_account_are_free(account):
    await delete(account, await registered(account, "lin", "Lin"))
    again = await registered(account, "lin", "Lin")
    assert again.profile.display_name == "Lin"


async def test_account_is_deleted_by_its_password_only(account):
    person = await registered(account, "lin")
    for password in (OTHER_PASSWORD, ""):
        with refused() as refusal:
            await delete(account, person, password)
        assert (refusal.code, refusal.reason) == (grpc.StatusCode.PERMISSION_DENIED, "PASSWORD_WRONG")
    await sign_in(account, "lin")


async def test_guest_is_deleted_without_a_password_and_only_once(account):
    person = await guest(account)
    await delete(account, person, "")
    with refused() as refusal:
        await delete(account, person, "")
    assert refusal.reason == "ACCOUNT_NOT_FOUND"


async def test_deleted_player_can_do_nothing_with_a_token_that_lives_on(account, friends):
    person, other = await guest(account), await guest(account)
    await delete(account, person, "")
    for call, request in (
        (account.SetMyDisplayName, pb.SetMyDisplayNameRequest(display_name="Lin")),
        (account.UpgradeGuest, pb.UpgradeGuestRequest(login_name="lin", password=PASSWORD)),
        (friends.SendFriendRequest, friend_pb.SendFriendRequestRequest(player_id=other.player_id)),
        (friends.BlockPlayer, friend_pb.BlockPlayerRequest(player_id=other.player_id)),
    ):
        with refused() as refusal:
            await call(request, metadata=person.me)
        assert refusal.reason == "ACCOUNT_NOT_FOUND"


@pytest.fixture
async def receivers(issuer) -> AsyncIterator[Receivers]:
    async with receiving(issuer) as receivers:
        yield receivers


@asynccontextmanager
async def account_service(settings):
    """A life of the account service."""
    async with (
        open_server(settings, ServiceMetrics("account")) as built,
        serving(built, settings),
        patient_stub(AccountServiceStub, f"127.0.0.1:{built.port}") as account,
    ):
        yield account


async def nothing_is_left_to_tell(store):
    async with asyncio.timeout(60):
        while [await store.list_farewells(service, 1) for service in SERVICES] != [[], []]:
            await asyncio.sleep(0.02)


async def test_services_are_told_again_until_each_has_answered(settings, receivers):
    """Both are away at first, and the account service goes down in between."""
    addresses = {"replay_address": receivers.address, "rating_address": receivers.address, "farewell_period_s": 0.05}
    settings = settings.model_copy(update=addresses)
    receivers.fail("replay", 2)
    receivers.fail("rating", 1)
    async with open_database(settings.database_dsn, migrations) as database:
        store = AccountStore(database)
        async with account_service(settings) as account:
            person = await guest(account)
            await delete(account, person, "")
            await receivers.wait_for_calls(1)
        async with account_service(settings):
            await receivers.wait_until_told(person.player_id)
            await nothing_is_left_to_tell(store)
        calls = len(receivers.calls)
        async with account_service(settings) as account:
            other = await guest(account)
            await delete(account, other, "")
            await receivers.wait_until_told(other.player_id)
            await nothing_is_left_to_tell(store)
    assert {player_id for _, player_id in receivers.calls[calls:]} == {other.player_id}, "nobody is told for ever"
    assert receivers.callers == {"account"}


async def test_service_that_stays_away_keeps_nobody_else_from_being_told(settings, receivers, monkeypatch):
    monkeypatch.setattr(farewells, "BATCH", 1)
    addresses = {"replay_address": receivers.address, "rating_address": receivers.address, "farewell_period_s": 0.05}
    receivers.fail("rating", 1_000_000)
    async with account_service(settings.model_copy(update=addresses)) as account:
        people = [await guest(account) for _ in range(3)]
        for person in people:
            await delete(account, person, "")
        await until(lambda: receivers.told == {("replay", person.player_id) for person in people})
