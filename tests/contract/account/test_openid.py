"""Signing in by an outside OpenID issuer, a real one in a process of its own."""

import asyncio
import base64
import hashlib
import secrets
import time

import grpc
import pytest
from pydantic import SecretStr

from mahjong_account.__main__ import open_server
from mahjong_account.openid_issuer import Client, Issuer
from mahjong_kit.errors import UnavailableError
from mahjong_kit.metrics import ServiceMetrics
from mahjong_kit.server import serving
from mahjongplanet.account.v1 import account_service_pb2 as account_pb
from mahjongplanet.account.v1 import openid_service_pb2 as pb
from mahjongplanet.account.v1.account_service_pb2_grpc import AccountServiceStub
from mahjongplanet.account.v1.openid_service_pb2_grpc import OpenIdServiceStub
from tests.contract.account.people import OTHER_PASSWORD, PASSWORD, Person, guest, registered
from tests.kit.openid_issuer import CLIENT_ID, CLIENT_SECRET, openid_issuer
from tests.kit.serving import patient_stub
from tests.kit.wire import refused

PAGE = "http://127.0.0.1:8080/signed-in"
VERIFIER = secrets.token_urlsafe(48)


def challenge_of(verifier):
    return base64.urlsafe_b64encode(hashlib.sha256(verifier.encode()).digest()).rstrip(b"=").decode()


@pytest.fixture(scope="module")
def running_issuer():
    with openid_issuer() as issuer:
        yield issuer


@pytest.fixture
def outside(running_issuer):
    """The issuer, behaving well."""
    running_issuer.behave()
    return running_issuer


@pytest.fixture
def settings(settings, outside):
    return settings.model_copy(
        update={
            "openid_issuer": outside.address,
            "openid_name": "Tests",
            "openid_client_id": CLIENT_ID,
            "openid_client_secret": SecretStr(CLIENT_SECRET),
            "openid_redirect_uris": (PAGE,),
        }
    )


@pytest.fixture
async def openid(account_port):
    async with patient_stub(OpenIdServiceStub, f"127.0.0.1:{account_port}") as stub:
        yield stub


async def begin(openid, **changed):
    fields = {"redirect_uri": PAGE, "code_challenge": challenge_of(VERIFIER)} | changed
    return await openid.BeginOpenIdSignIn(pb.BeginOpenIdSignInRequest(**fields))


async def visit(openid, outside):
    """Begins, and goes to the issuer and back."""
    begun = await begin(openid)
    back = await asyncio.to_thread(outside.visit, begun.authorization_url)
    assert back["state"] == begun.state
    return {"state": back["state"], "code": back["code"], "code_verifier": VERIFIER}


async def finish(openid, **fields):
    return await openid.FinishOpenIdSignIn(pb.FinishOpenIdSignInRequest(**fields))


async def sign_in(openid, outside):
    return await finish(openid, **await visit(openid, outside))


async def is_refused(openid, problem, **fields):
    with refused() as refusal:
        await finish(openid, **fields)
    assert (refusal.code, refusal.reason) == (grpc.StatusCode.UNAUTHENTICATED, "OPENID_REFUSED")
    assert refusal.metadata == {"problem": problem}


async def test_subject_gets_an_account_once_and_comes_back_to_it(account, openid, outside):
    outside.behave(subject="ann", claims={"preferred_username": "Ann", "name": "Ann B."})
    made, back = await sign_in(openid, outside), await sign_in(openid, outside)
    assert (made.is_new, back.is_new) == (True, False)
    assert made.profile == back.profile
    assert (made.profile.display_name, made.profile.is_guest) == ("Ann", False)
    person = Person(back.profile, back.session)
    mine = await account.GetMyAccount(account_pb.GetMyAccountRequest(), metadata=person.me)
    assert (mine.has_openid, mine.has_password, mine.login_name) == (True, False, "")
    outside.behave(subject="bea")
    assert (await sign_in(openid, outside)).profile.player_id != made.profile.player_id


@pytest.mark.parametrize("name", ["Admin", "Paul", "x" * 40, "\u202eabc"])
async def test_subject_whose_name_may_not_be_or_is_taken_gets_another(account, openid, outside, name):
    await registered(account, "paul", "Paul")
    outside.behave(subject="ann", claims={"nickname": name, "name": "Ann B."})
    assert (await sign_in(openid, outside)).profile.display_name == "Ann B."


async def test_subject_without_a_name_gets_a_chosen_one(openid, outside):
    assert (await sign_in(openid, outside)).profile.display_name


async def test_guest_becomes_an_account_of_the_subject_and_keeps_its_id(account, openid, outside):
    person, other = await guest(account, "Lin"), await guest(account, "Mei")
    for _ in range(2):
        request = pb.LinkOpenIdRequest(**await visit(openid, outside))
        linked = await openid.LinkOpenId(request, metadata=person.me)
        assert linked.profile == account_pb.Profile(player_id=person.player_id, display_name="Lin")
    assert (await sign_in(openid, outside)).profile == linked.profile
    with refused() as refusal:
        await openid.LinkOpenId(pb.LinkOpenIdRequest(**await visit(openid, outside)), metadata=other.me)
    assert (refusal.code, refusal.reason) == (grpc.StatusCode.ALREADY_EXISTS, "OPENID_ALREADY_LINKED")
    outside.behave(subject="another")
    with refused() as refusal:
        await openid.LinkOpenId(pb.LinkOpenIdRequest(**await visit(openid, outside)), metadata=person.me)
    assert refusal.reason == "OPENID_ALREADY_LINKED"


async def test_account_with_a_password_is_linked_by_that_password_only(account, openid, outside):
    """Else a stolen access token would open another way in for good."""
    person = await registered(account, "lin", "Lin")
    returned = await visit(openid, outside)
    for password in ("", OTHER_PASSWORD):
        with refused() as refusal:
            await openid.LinkOpenId(pb.LinkOpenIdRequest(password=password, **returned), metadata=person.me)
        assert (refusal.code, refusal.reason) == (grpc.StatusCode.PERMISSION_DENIED, "PASSWORD_WRONG")
    linked = await openid.LinkOpenId(pb.LinkOpenIdRequest(password=PASSWORD, **returned), metadata=person.me)
    assert linked.profile == person.profile
    assert (await sign_in(openid, outside)).profile == person.profile


async def test_deleted_account_leaves_its_subject_free(account, openid, outside):
    made = await sign_in(openid, outside)
    person = Person(made.profile, made.session)
    await account.DeleteMyAccount(account_pb.DeleteMyAccountRequest(), metadata=person.me)
    assert (await sign_in(openid, outside)).is_new


async def test_state_counts_once_for_its_verifier_and_for_ten_minutes(openid, outside, clock):
    fields = await visit(openid, outside)
    await finish(openid, **fields)
    await is_refused(openid, "state", **fields)
    fields = await visit(openid, outside)
    await is_refused(openid, "state", **fields | {"code_verifier": secrets.token_urlsafe(48)})
    await is_refused(openid, "state", **await visit(openid, outside) | {"state": "made up"})
    fields = await visit(openid, outside)
    clock.now += 601
    await is_refused(openid, "state", **fields)


async def test_code_that_the_issuer_does_not_know_is_refused(openid, outside):
    await is_refused(openid, "code", **await visit(openid, outside) | {"code": "made up"})


@pytest.mark.parametrize(
    "behaviour",
    [
        {"sign": "none"},
        {"sign": "secret"},
        {"sign": "other"},
        {"claims": {"iss": "https://elsewhere.example"}},
        {"claims": {"aud": "another client"}},
        {"claims": {"aud": [CLIENT_ID, "another client"]}},
        {"claims": {"azp": "another client"}},
        {"claims": {"exp": 1_700_000_000}},
        {"claims": {"exp": None}},
        {"claims": {"iat": 4_000_000_000}},
        {"claims": {"nonce": "of another sign-in"}},
        {"claims": {"nonce": None}},
        {"claims": {"sub": None}},
        {"claims": {"sub": ""}},
        {"claims": {"sub": "x" * 256}},
    ],
    ids=str,
)
async def test_token_that_is_not_ours_for_this_sign_in_is_refused(openid, outside, behaviour):
    outside.behave(**behaviour)
    await is_refused(openid, "token", **await visit(openid, outside))


async def test_token_for_several_audiences_is_ours_if_it_was_given_to_us(openid, outside):
    outside.behave(claims={"aud": [CLIENT_ID, "another"], "azp": CLIENT_ID})
    await sign_in(openid, outside)


async def test_keys_are_kept_and_fetched_again_for_an_unknown_one(openid, outside, clock):
    await sign_in(openid, outside)
    before = outside.served().count("/keys")
    await sign_in(openid, outside)
    assert outside.served().count("/keys") == before
    clock.now += 11
    outside.behave(rotate=True)
    await sign_in(openid, outside)
    assert outside.served().count("/keys") == before + 1


async def test_issuer_that_is_away_is_told_and_what_is_known_of_it_counts_on(openid, outside, clock):
    outside.behave(broken=True)
    with refused() as refusal:
        await begin(openid)
    assert (refusal.code, refusal.reason) == (grpc.StatusCode.UNAVAILABLE, "SERVICE_UNREACHABLE")
    assert refusal.metadata == {"service": "openid"}
    outside.behave()
    fields = await visit(openid, outside)
    outside.behave(broken=True)
    with refused() as refusal:
        await finish(openid, **fields)
    assert refusal.reason == "SERVICE_UNREACHABLE"
    clock.now += 3_601
    await begin(openid)


async def test_discovery_that_names_another_issuer_is_not_trusted(openid, outside):
    outside.behave(issuer="https://elsewhere.example")
    with refused() as refusal:
        await begin(openid)
    assert refusal.reason == "SERVICE_UNREACHABLE"


@pytest.mark.parametrize(
    ("field", "value"),
    [("redirect_uri", "https://evil.example/"), ("redirect_uri", PAGE + "/"), ("code_challenge", "short")],
)
async def test_sign_in_to_an_address_that_is_not_ours_is_not_begun(openid, field, value):
    with refused() as refusal:
        await begin(openid, **{field: value})
    assert (refusal.reason, refusal.metadata["field"]) == ("INVALID_FIELD", field)


async def test_platform_without_an_issuer_says_so(settings, openid):
    told = await openid.GetOpenIdIssuer(pb.GetOpenIdIssuerRequest())
    assert (told.issuer, told.name) == (settings.openid_issuer, "Tests")
    settings = settings.model_copy(update={"openid_issuer": ""})
    async with (
        open_server(settings, ServiceMetrics("account")) as built,
        serving(built, settings),
        patient_stub(OpenIdServiceStub, f"127.0.0.1:{built.port}") as stub,
        patient_stub(AccountServiceStub, f"127.0.0.1:{built.port}") as account,
    ):
        person = await guest(account)
        for call, request in (
            (stub.GetOpenIdIssuer, pb.GetOpenIdIssuerRequest()),
            (stub.LinkOpenId, pb.LinkOpenIdRequest(state="x", code="x", code_verifier=VERIFIER)),
        ):
            with refused() as refusal:
                await call(request, metadata=person.me)
            assert (refusal.code, refusal.reason) == (grpc.StatusCode.FAILED_PRECONDITION, "OPENID_NOT_OFFERED")


async def test_nothing_secret_of_a_sign_in_is_logged(openid, outside, logged):
    fields = await visit(openid, outside)
    session = (await finish(openid, **fields)).session
    outside.behave(sign="other")
    other = await visit(openid, outside)
    await is_refused(openid, "token", **other)
    lines = str(logged())
    assert "openid.token_refused" in lines
    for secret in (*fields.values(), *other.values(), CLIENT_SECRET, session.access_token, session.refresh_token):
        assert secret not in lines


async def test_nobody_waits_in_line_for_an_issuer_that_is_away():
    answered = asyncio.Event()
    asked = []

    class Http:
        async def execute(self, method, url, headers, content):
            asked.append(url)
            await answered.wait()
            raise OSError

    issuer = Issuer(Client("https://issuer.example", "", "", ""), Http(), time.time)
    calls = [asyncio.create_task(issuer.authorization_url()) for _ in range(5)]
    await asyncio.sleep(0.05)
    answered.set()
    for error in await asyncio.gather(*calls, return_exceptions=True):
        assert isinstance(error, UnavailableError)
    assert len(asked) == 1
    with pytest.raises(UnavailableError):
        await issuer.authorization_url()
    assert len(asked) == 2, "whoever comes later asks anew"
