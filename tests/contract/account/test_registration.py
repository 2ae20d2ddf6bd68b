"""Login names and passwords: registration, sign-in, a guest who becomes an account, a new password."""

import asyncio

import grpc
import pytest
from sqlalchemy import text

from mahjong_account import migrations
from mahjong_account.__main__ import open_server
from mahjong_kit.metrics import ServiceMetrics
from mahjong_kit.server import serving
from mahjong_kit.sql import open_database
from mahjongplanet.account.v1 import account_service_pb2 as pb
from mahjongplanet.account.v1.account_service_pb2_grpc import AccountServiceStub
from tests.contract.account.people import OTHER_PASSWORD, PASSWORD, guest, registered, sign_in
from tests.kit.serving import patient_stub
from tests.kit.wire import refused


async def my_account(account, person):
    return await account.GetMyAccount(pb.GetMyAccountRequest(), metadata=person.me)


async def test_account_signs_in_by_its_login_name_in_any_case(account):
    made = await registered(account, "Lin.1", "Lin")
    assert not made.profile.is_guest
    back = await sign_in(account, " lIN.1 ")
    assert back.profile == made.profile
    assert back.session.refresh_token != made.session.refresh_token
    mine = await my_account(account, back)
    assert (mine.login_name, mine.has_password, mine.has_openid) == ("lin.1", True, False)


@pytest.mark.parametrize(("login_name", "password"), [("lin", OTHER_PASSWORD), ("nobody", PASSWORD), ("no such!", "x")])
async def test_sign_in_tells_nobody_what_was_wrong(account, login_name, password):
    await registered(account, "lin")
    with refused() as refusal:
        await sign_in(account, login_name, password)
    assert (refusal.code, refusal.reason) == (grpc.StatusCode.UNAUTHENTICATED, "SIGN_IN_REFUSED")
    assert (refusal.metadata, refusal.error.details()) == ({}, "sign in refused")


@pytest.mark.parametrize(
    ("field", "value", "reason", "problem"),
    [
        ("login_name", "li", "LOGIN_NAME_REFUSED", "too_short"),
        ("login_name", "l" * 33, "LOGIN_NAME_REFUSED", "too_long"),
        ("login_name", "lin@example", "LOGIN_NAME_REFUSED", "characters"),
        ("login_name", "_lin", "LOGIN_NAME_REFUSED", "characters"),
        ("login_name", "líní", "LOGIN_NAME_REFUSED", "characters"),
        ("password", "", "PASSWORD_REFUSED", "too_short"),
        ("password", "jg8fk2x", "PASSWORD_REFUSED", "too_short"),
        ("password", "x" * 129, "PASSWORD_REFUSED", "too_long"),
        ("password", "y" * 60_000, "PASSWORD_REFUSED", "too_long"),
        ("password", "password1", "PASSWORD_REFUSED", "guessable"),
        ("password", "lin-login", "PASSWORD_REFUSED", "guessable"),
        ("password", "aaaaaaaaaaaaaaaaaaaa", "PASSWORD_REFUSED", "guessable"),
        ("password", "nine green\x00bamboos", "PASSWORD_REFUSED", "unprintable"),
        ("display_name", "Admin", "DISPLAY_NAME_REFUSED", "reserved"),
        ("display_name", "", "DISPLAY_NAME_REFUSED", "empty"),
    ],
)
async def test_registration_of_what_may_not_be_is_refused_with_its_problem(account, field, value, reason, problem):
    fields = {"login_name": "lin-login", "password": PASSWORD, "display_name": "Lin"} | {field: value}
    with refused() as refusal:
        await account.RegisterAccount(pb.RegisterAccountRequest(**fields))
    assert (refusal.code, refusal.reason) == (grpc.StatusCode.INVALID_ARGUMENT, reason)
    assert refusal.metadata == {"problem": problem}


async def test_login_name_belongs_to_one_account(account):
    await registered(account, "lin", "Lin")
    with refused() as refusal:
        await registered(account, "LIN", "Mei")
    assert (refusal.code, refusal.reason) == (grpc.StatusCode.ALREADY_EXISTS, "LOGIN_NAME_TAKEN")


async def test_of_many_who_register_one_login_name_at_once_one_gets_it(account):
    tries = [registered(account, "lin", f"Lin {word}") for word in ("Oak", "Elm", "Ash", "Fir")]
    outcomes = await asyncio.gather(*tries, return_exceptions=True)
    assert sum(not isinstance(outcome, BaseException) for outcome in outcomes) == 1
    codes = {outcome.code() for outcome in outcomes if isinstance(outcome, grpc.aio.AioRpcError)}
    assert codes == {grpc.StatusCode.ALREADY_EXISTS}


async def test_guest_becomes_an_account_and_keeps_its_id_and_sessions(account):
    person = await guest(account, "Lin")
    upgrade = pb.UpgradeGuestRequest(login_name="lin", password=PASSWORD)
    done = await account.UpgradeGuest(upgrade, metadata=person.me)
    assert done.profile == pb.Profile(player_id=person.player_id, display_name="Lin")
    assert await account.UpgradeGuest(upgrade, metadata=person.me) == done, "a repeated call changes nothing"
    assert (await sign_in(account, "lin")).profile == done.profile
    refreshed = await account.RefreshSession(pb.RefreshSessionRequest(refresh_token=person.session.refresh_token))
    assert refreshed.profile == done.profile


async def test_account_is_no_guest_to_be_upgraded(account):
    person = await registered(account, "lin")
    for login_name, password in (("other", PASSWORD), ("lin", OTHER_PASSWORD)):
        with refused() as refusal:
            request = pb.UpgradeGuestRequest(login_name=login_name, password=password)
            await account.UpgradeGuest(request, metadata=person.me)
        assert (refusal.code, refusal.reason) == (grpc.StatusCode.FAILED_PRECONDITION, "NOT_A_GUEST")


async def test_guest_cannot_take_the_login_name_of_an_account(account):
    await registered(account, "lin", "Lin")
    person = await guest(account, "Mei")
    with refused() as refusal:
        request = pb.UpgradeGuestRequest(login_name="Lin", password=PASSWORD)
        await account.UpgradeGuest(request, metadata=person.me)
    assert refusal.reason == "LOGIN_NAME_TAKEN"
    assert (await my_account(account, person)).profile == person.profile


async def test_new_password_counts_and_ends_all_other_sessions(account):
    person, phone = await registered(account, "lin"), await sign_in(account, "lin", device_name="phone")
    request = pb.ChangePasswordRequest(current_password=PASSWORD, new_password=OTHER_PASSWORD)
    changed = await account.ChangePassword(request, metadata=phone.me)
    for old in (person, phone):
        with refused() as refusal:
            await account.RefreshSession(pb.RefreshSessionRequest(refresh_token=old.session.refresh_token))
        assert refusal.reason == "REFRESH_TOKEN_INVALID"
    await account.RefreshSession(pb.RefreshSessionRequest(refresh_token=changed.session.refresh_token))
    (left,) = (await account.ListMySessions(pb.ListMySessionsRequest(), metadata=phone.me)).sessions
    assert left.device_name == "phone"
    with refused() as refusal:
        await sign_in(account, "lin")
    assert refusal.reason == "SIGN_IN_REFUSED"
    await sign_in(account, "lin", OTHER_PASSWORD)


@pytest.mark.parametrize(
    ("current", "new", "reason"),
    [
        (OTHER_PASSWORD, "eight white winds", "PASSWORD_WRONG"),
        (PASSWORD, "12345678", "PASSWORD_REFUSED"),
        ("", OTHER_PASSWORD, "INVALID_FIELD"),
    ],
)
async def test_new_password_is_refused_without_the_old_one_or_if_weak(account, current, new, reason):
    person = await registered(account, "lin")
    with refused() as refusal:
        request = pb.ChangePasswordRequest(current_password=current, new_password=new)
        await account.ChangePassword(request, metadata=person.me)
    assert refusal.reason == reason
    await sign_in(account, "lin")


async def test_guest_has_no_password_to_change(account):
    person = await guest(account)
    with refused() as refusal:
        request = pb.ChangePasswordRequest(current_password="x", new_password=PASSWORD)
        await account.ChangePassword(request, metadata=person.me)
    assert (refusal.code, refusal.reason) == (grpc.StatusCode.FAILED_PRECONDITION, "NO_PASSWORD")


async def test_password_is_the_same_however_it_is_composed(account):
    request = pb.RegisterAccountRequest(login_name="lin", password="caf\u00e9 au dragon", display_name="Lin")
    await account.RegisterAccount(request)
    await sign_in(account, "lin", "cafe\u0301 au dragon")


async def test_password_is_kept_as_a_hash_that_names_its_cost(account, settings):
    await registered(account, "lin")
    async with open_database(settings.database_dsn, migrations) as database, database.engine.connect() as connection:
        (hashed,) = (await connection.execute(text("SELECT password_hash FROM account"))).one()
    assert hashed.startswith("$argon2id$v=19$m=8192,t=1,p=1$")


async def test_sign_in_hashes_anew_what_was_hashed_at_a_lower_cost(account, settings, clock):
    await registered(account, "lin")
    dearer = settings.model_copy(update={"password_passes": 2})
    async with (
        open_server(dearer, ServiceMetrics("account"), clock) as built,
        serving(built, dearer),
        patient_stub(AccountServiceStub, f"127.0.0.1:{built.port}") as replica,
    ):
        await sign_in(replica, "lin")
    async with open_database(settings.database_dsn, migrations) as database, database.engine.connect() as connection:
        (hashed,) = (await connection.execute(text("SELECT password_hash FROM account"))).one()
    assert hashed.startswith("$argon2id$v=19$m=8192,t=2,p=1$")
    await sign_in(account, "lin")


async def test_tenth_wrong_password_is_the_last_for_a_minute_and_other_logins_stay_free(account, clock):
    await registered(account, "lin", "Lin")
    await registered(account, "mei", "Mei")
    for login_name in ("lin", "nobody"):
        for _ in range(10):
            with refused() as refusal:
                await sign_in(account, login_name, OTHER_PASSWORD)
            assert refusal.reason == "SIGN_IN_REFUSED"
        with refused() as refusal:
            await sign_in(account, login_name)
        assert (refusal.code, refusal.reason) == (grpc.StatusCode.RESOURCE_EXHAUSTED, "RATE_LIMITED")
        assert refusal.metadata == {"limit": "sign_in"}
    await sign_in(account, "mei")
    clock.now += 60
    await sign_in(account, "lin")


async def test_password_of_a_signed_in_player_is_not_guessed_either(account):
    person = await registered(account, "lin")
    request = pb.ChangePasswordRequest(current_password="a guess", new_password=OTHER_PASSWORD)
    for _ in range(10):
        with refused() as refusal:
            await account.ChangePassword(request, metadata=person.me)
        assert refusal.reason == "PASSWORD_WRONG"
    with refused() as refusal:
        await account.ChangePassword(request, metadata=person.me)
    assert (refusal.reason, refusal.metadata) == ("RATE_LIMITED", {"limit": "password"})


async def test_nothing_secret_is_logged(account, logged, settings):
    person = await registered(account, "lin.secret")
    await sign_in(account, "lin.secret")
    for attempt in (sign_in(account, "lin.secret", OTHER_PASSWORD), registered(account, "lin.secret", "Mei")):
        with refused():
            await attempt
    request = pb.ChangePasswordRequest(current_password=PASSWORD, new_password=OTHER_PASSWORD)
    session = (await account.ChangePassword(request, metadata=person.me)).session
    async with open_database(settings.database_dsn, migrations) as database, database.engine.connect() as connection:
        (hashed,) = (await connection.execute(text("SELECT password_hash FROM account"))).one()
    lines = str(logged())
    assert "AccountService/ChangePassword" in lines
    secrets = (PASSWORD, OTHER_PASSWORD, "lin.secret", hashed, session.access_token, session.refresh_token)
    assert not [secret for secret in (*secrets, person.session.access_token) if secret in lines]


@pytest.mark.parametrize("field", ["login_name", "password"])
async def test_sign_in_by_a_text_that_no_database_keeps_is_an_invalid_field(account, field):
    fields = {"login_name": "lin", "password": PASSWORD, field: "li\0n"}
    with refused() as refusal:
        await account.SignIn(pb.SignInRequest(**fields))
    assert (refusal.code, refusal.reason) == (grpc.StatusCode.INVALID_ARGUMENT, "INVALID_FIELD")
    assert refusal.metadata["field"] == field
