"""Keys that change: by a schedule, and when an operator says so."""

import grpc
import jwt
import pytest
from pydantic import SecretStr

from mahjong_account import migrations
from mahjong_account.__main__ import open_server
from mahjong_account.key_ring import KeyRing, Rotation
from mahjong_account.key_store import KeyStore
from mahjong_account.signing import Seal
from mahjong_kit.metrics import ServiceMetrics
from mahjong_kit.server import serving
from mahjong_kit.sql import open_database
from mahjongplanet.account.v1 import account_service_pb2 as pb
from mahjongplanet.account.v1 import admin_service_pb2 as admin_pb
from mahjongplanet.account.v1.account_service_pb2_grpc import AccountServiceStub
from mahjongplanet.account.v1.admin_service_pb2_grpc import AccountAdminServiceStub
from tests.contract.account.people import guest, registered, sign_in
from tests.kit.serving import patient_stub
from tests.kit.tokens import SERVICE_KEY
from tests.kit.wire import refused

PUBLISHED, SIGNING = admin_pb.KEY_STATE_PUBLISHED, admin_pb.KEY_STATE_SIGNING
VERIFYING, RETIRED = admin_pb.KEY_STATE_VERIFYING, admin_pb.KEY_STATE_RETIRED
HOUR_S = 3_600


def kid(person):
    return jwt.get_unverified_header(person.session.access_token)["kid"]


async def listed(account):
    return [key.key_id for key in (await account.ListSigningKeys(pb.ListSigningKeysRequest())).keys]


async def states(admin):
    return [key.state for key in (await admin.ListKeys(admin_pb.ListKeysRequest())).keys]


async def test_new_key_is_listed_before_it_signs(account, admin):
    before = kid(await guest(account))
    key = (await admin.RotateKey(admin_pb.RotateKeyRequest())).key
    assert (key.state, key.activate_time.seconds - key.create_time.seconds) == (PUBLISHED, 1_800)
    assert await listed(account) == [before, key.key_id]
    assert kid(await guest(account)) == before


async def test_key_that_has_signed_verifies_until_its_last_token_has_expired(account, admin, clock):
    person = await guest(account)
    key = (await admin.RotateKey(admin_pb.RotateKeyRequest(at_once=True))).key
    assert key.state == SIGNING
    assert kid(await guest(account)) == key.key_id
    await account.GetMyAccount(pb.GetMyAccountRequest(), metadata=person.me)
    assert await states(admin) == [SIGNING, VERIFYING]
    clock.now += HOUR_S + 900
    assert await states(admin) == [SIGNING, RETIRED]
    assert await listed(account) == [key.key_id]


async def test_withdrawn_key_is_not_listed_any_more_and_sessions_go_on(account, admin):
    person = await guest(account)
    await admin.RotateKey(admin_pb.RotateKeyRequest())
    key = (await admin.RotateKey(admin_pb.RotateKeyRequest(withdraw_others=True))).key
    assert await listed(account) == [key.key_id]
    assert await states(admin) == [SIGNING, RETIRED, RETIRED]
    newest, *others = (await admin.ListKeys(admin_pb.ListKeysRequest())).keys
    assert [newest.HasField("withdraw_time"), *(one.HasField("withdraw_time") for one in others)] == [False, True, True]
    request = pb.RefreshSessionRequest(refresh_token=person.session.refresh_token)
    refreshed = await account.RefreshSession(request)
    assert jwt.get_unverified_header(refreshed.session.access_token)["kid"] == key.key_id


async def test_token_of_a_withdrawn_key_is_refused_by_who_learns_the_keys_now(account, admin, settings, clock):
    person = await guest(account)
    await admin.RotateKey(admin_pb.RotateKeyRequest(withdraw_others=True))
    async with (
        open_server(settings, ServiceMetrics("account"), clock) as built,
        serving(built, settings),
        patient_stub(AccountServiceStub, f"127.0.0.1:{built.port}") as replica,
    ):
        with refused() as refusal:
            await replica.GetMyAccount(pb.GetMyAccountRequest(), metadata=person.me)
    assert (refusal.code, refusal.reason) == (grpc.StatusCode.UNAUTHENTICATED, "TOKEN_INVALID")


@pytest.fixture
async def ring(account_port, settings, clock):
    """The ring of another replica, on the same database."""
    async with open_database(settings.database_dsn, migrations) as database:

        def clock_ms():
            return int(clock.now * 1000)

        store = KeyStore(database, Seal(SERVICE_KEY), 900, clock_ms)
        yield KeyRing(store, None, Rotation(30 * 86_400, 1_800, 30), 900, clock_ms)


async def test_key_that_is_a_month_old_is_followed_by_another_in_time(ring, admin, clock):
    await ring.refresh()
    first = ring.signer.key_id
    clock.now += 30 * 86_400 - 1
    await ring.refresh()
    assert await states(admin) == [SIGNING]
    clock.now += 1
    for _ in range(2):
        await ring.refresh()
    assert await states(admin) == [PUBLISHED, SIGNING]
    assert ring.signer.key_id == first
    clock.now += 1_800
    await ring.refresh()
    assert await states(admin) == [SIGNING, VERIFYING]
    assert ring.signer.key_id != first


async def test_key_of_the_settings_is_not_rotated_by_command(settings, issuer):
    settings = settings.model_copy(update={"signing_key": SecretStr(issuer.signing_key_pem)})
    async with (
        open_server(settings, ServiceMetrics("account")) as built,
        serving(built, settings),
        patient_stub(AccountAdminServiceStub, f"127.0.0.1:{built.port}") as admin,
    ):
        with refused() as refusal:
            await admin.RotateKey(admin_pb.RotateKeyRequest(), metadata=issuer.operator())
    assert (refusal.code, refusal.reason) == (grpc.StatusCode.FAILED_PRECONDITION, "SIGNING_KEY_FROM_SETTINGS")


async def test_operators_methods_are_for_operators(account, account_port, issuer):
    person = await guest(account)
    async with patient_stub(AccountAdminServiceStub, f"127.0.0.1:{account_port}") as admin:
        for call, request in (
            (admin.ListKeys, admin_pb.ListKeysRequest()),
            (admin.RotateKey, admin_pb.RotateKeyRequest()),
            (admin.ResetPassword, admin_pb.ResetPasswordRequest(login_name="lin")),
        ):
            for metadata in (person.me, issuer.service("table")):
                with refused() as refusal:
                    await call(request, metadata=metadata)
                assert (refusal.code, refusal.reason) == (grpc.StatusCode.PERMISSION_DENIED, "CALLER_NOT_ALLOWED")


async def test_lost_password_is_replaced_and_sessions_end(account, admin, logged):
    person = await registered(account, "lin")
    reset = await admin.ResetPassword(admin_pb.ResetPasswordRequest(login_name=" Lin "))
    assert reset.player_id == person.player_id
    with refused() as refusal:
        await account.RefreshSession(pb.RefreshSessionRequest(refresh_token=person.session.refresh_token))
    assert refusal.reason == "REFRESH_TOKEN_INVALID"
    assert (await sign_in(account, "lin", reset.password)).profile == person.profile
    assert reset.password not in str(logged())
    with refused() as refusal:
        await admin.ResetPassword(admin_pb.ResetPasswordRequest(login_name="nobody"))
    assert (refusal.code, refusal.reason) == (grpc.StatusCode.NOT_FOUND, "LOGIN_NAME_NOT_FOUND")
