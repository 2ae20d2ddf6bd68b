"""Guests, their names and profiles."""

import uuid

import grpc
import jwt
import pytest
from pydantic import SecretStr

from mahjong_account.__main__ import open_server
from mahjong_kit.keys import public_key
from mahjong_kit.metrics import ServiceMetrics
from mahjongplanet.account.v1 import account_service_pb2 as pb
from mahjongplanet.account.v1.account_service_pb2_grpc import AccountServiceStub
from tests.kit.serving import stub_of
from tests.kit.tokens import bearer
from tests.kit.wire import refused


async def new_guest(account, name="Lin"):
    return await account.CreateGuest(pb.CreateGuestRequest(display_name=name))


async def test_guest_is_signed_in_under_the_name_it_gave(account):
    guest = await new_guest(account, "  Lin  ")
    assert guest.profile.display_name == "Lin"
    assert guest.profile.is_guest
    assert str(uuid.UUID(guest.profile.player_id)) == guest.profile.player_id
    mine = await account.GetMyAccount(pb.GetMyAccountRequest(), metadata=bearer(guest.session.access_token))
    assert mine.profile == guest.profile


async def test_guest_learns_when_its_tokens_expire(account, clock):
    session = (await new_guest(account)).session
    assert session.access_expire_time.seconds == int(clock.now) + 900
    assert session.refresh_expire_time.seconds == int(clock.now) + 90 * 86_400
    assert len(session.access_token) <= 1024


async def test_each_guest_is_another_one(account):
    first, second = await new_guest(account), await new_guest(account)
    assert first.profile.player_id != second.profile.player_id
    assert first.session.refresh_token != second.session.refresh_token


@pytest.mark.parametrize("name", ["", "   "])
async def test_guest_without_a_name_gets_a_chosen_one(account, name):
    profile = (await new_guest(account, name)).profile
    assert 1 <= len(profile.display_name) <= 24


@pytest.mark.parametrize(
    ("name", "problem"),
    [("x" * 25, "too_long"), ("a\tb", "unprintable"), ("a\u200db", "unprintable"), ("\u3164", "blank")],
)
async def test_guest_with_a_name_that_may_not_be_is_refused(account, name, problem):
    with refused() as refusal:
        await new_guest(account, name)
    assert refusal.code is grpc.StatusCode.INVALID_ARGUMENT
    assert refusal.reason == "DISPLAY_NAME_REFUSED"
    assert refusal.metadata == {"problem": problem}


async def test_access_token_is_verified_by_the_public_keys_alone(account):
    guest = await new_guest(account, "李")
    token = guest.session.access_token
    keys = (await account.ListSigningKeys(pb.ListSigningKeysRequest())).keys
    jwk = {key.key_id: key.jwk_json for key in keys}[jwt.get_unverified_header(token)["kid"]]
    claims = jwt.decode(token, public_key(jwk), algorithms=["EdDSA"], audience="mahjongplanet", issuer="mahjongplanet")
    assert (claims["sub"], claims["name"]) == (guest.profile.player_id, "李")
    assert '"d"' not in jwk, "a private key was shown"


async def test_player_who_changes_the_name_is_shown_under_the_new_one(account):
    guest = await new_guest(account)
    me = bearer(guest.session.access_token)
    changed = await account.SetMyDisplayName(pb.SetMyDisplayNameRequest(display_name=" Mei\u0308 "), metadata=me)
    assert changed.profile.display_name == "Me\u00ef"
    assert (await account.GetMyAccount(pb.GetMyAccountRequest(), metadata=me)).profile == changed.profile


async def test_player_who_takes_an_empty_name_is_refused_and_keeps_the_old_one(account):
    guest = await new_guest(account)
    me = bearer(guest.session.access_token)
    with refused() as refusal:
        await account.SetMyDisplayName(pb.SetMyDisplayNameRequest(display_name=" "), metadata=me)
    assert (refusal.reason, refusal.metadata) == ("DISPLAY_NAME_REFUSED", {"problem": "empty"})
    assert (await account.GetMyAccount(pb.GetMyAccountRequest(), metadata=me)).profile == guest.profile


async def test_player_whose_account_is_not_here_is_not_found(settings, issuer):
    settings = settings.model_copy(update={"signing_key": SecretStr(issuer.signing_key_pem)})
    async with (
        open_server(settings, ServiceMetrics("account")) as built,
        stub_of(built, AccountServiceStub, settings) as account,
    ):
        player_id = str(uuid.uuid4())
        with refused() as refusal:
            await account.GetMyAccount(pb.GetMyAccountRequest(), metadata=issuer.player(player_id))
        assert (refusal.code, refusal.reason) == (grpc.StatusCode.NOT_FOUND, "ACCOUNT_NOT_FOUND")
        assert refusal.metadata == {"player_id": player_id}


async def test_profiles_come_in_the_order_asked_without_unknown_ones(account):
    guests = [await new_guest(account, name) for name in ("A", "B", "C")]
    asked = [
        guests[2].profile.player_id,
        str(uuid.uuid4()),
        guests[0].profile.player_id,
        "no id",
        "\0",
        guests[2].profile.player_id,
    ]
    me = bearer(guests[1].session.access_token)
    found = await account.BatchGetProfiles(pb.BatchGetProfilesRequest(player_ids=asked), metadata=me)
    assert [profile.display_name for profile in found.profiles] == ["C", "A"]


@pytest.mark.parametrize("count", [0, 101])
async def test_profiles_of_nobody_or_of_too_many_are_refused(account, count):
    me = bearer((await new_guest(account)).session.access_token)
    with refused() as refusal:
        await account.BatchGetProfiles(pb.BatchGetProfilesRequest(player_ids=["x"] * count), metadata=me)
    assert (refusal.code, refusal.reason) == (grpc.StatusCode.INVALID_ARGUMENT, "INVALID_FIELD")
    assert refusal.metadata["field"] == "player_ids"
