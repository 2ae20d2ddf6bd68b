"""Accounts through the gateway: the key set, limits by address, and what the account service is told of addresses."""

import json

import jwt
import pytest

from tests.contract.gateway.paths import CREATE_GUEST, MY_ACCOUNT, told_by_reply
from tests.kit.http import fetch

SIGN_IN = "/mahjongplanet.account.v1.AccountService/SignIn"
REGISTER = "/mahjongplanet.account.v1.AccountService/RegisterAccount"
SLOW = 0.001


async def test_key_set_checks_the_tokens_that_are_given(gateway):
    guest = json.loads((await gateway.call(CREATE_GUEST)).body)
    token = guest["session"]["accessToken"]
    reply = await fetch(gateway.http, "GET", "/.well-known/jwks.json", {})
    assert (reply.status, reply.headers["content-type"]) == (200, "application/jwk-set+json")
    keys = jwt.PyJWKSet.from_json(reply.body.decode())
    key = keys[jwt.get_unverified_header(token)["kid"]]
    claims = jwt.decode(token, key, algorithms=["EdDSA"], audience="mahjongplanet", issuer="mahjongplanet")
    assert claims["sub"] == guest["profile"]["playerId"]
    assert [set(key) for key in json.loads(reply.body)["keys"]] == [{"kty", "crv", "x", "kid", "use", "alg"}]


async def test_key_set_that_cannot_be_read_is_asked_for_later(serve_gateway, upstream_address):
    async with serve_gateway(upstream_address, account_address="127.0.0.1:1", hold_s=0) as ports:
        reply = await fetch(ports.http, "GET", "/.well-known/jwks.json", {})
    assert (reply.status, reply.headers["retry-after"]) == (503, "5")


@pytest.mark.parametrize(
    ("path", "limit"), [(SIGN_IN, "sign_in"), (REGISTER, "registration")], ids=["sign-in", "registration"]
)
async def test_sign_ins_and_registrations_are_limited_by_address(serve_gateway, upstream_address, path, limit):
    settings = {f"{limit}_burst": 2, f"{limit}_per_s": SLOW}
    async with serve_gateway(upstream_address, **settings) as ports:
        assert [(await ports.call(path)).status for _ in range(3)] == [400, 400, 429]
        error = told_by_reply(await ports.call(path))
        assert (error.reason, error.metadata) == ("RATE_LIMITED", {"limit": limit})
        assert error.retry_after_s is not None
        assert (await ports.call(CREATE_GUEST)).status == 200


async def test_one_address_that_guesses_does_not_keep_the_owner_out(serve_gateway, upstream_address):
    """The account service counts by login name and address: the gateway tells it which, and a client can't."""
    account = {"loginName": "gateway.lin", "password": "nine green bamboos", "displayName": "Gateway Lin"}
    async with serve_gateway(upstream_address, trusted_proxies=1) as ports:
        made = await ports.call(REGISTER, json.dumps(account).encode(), x_forwarded_for="1.1.1.1")
        assert made.status == 200
        wrong = json.dumps(account | {"password": "some other words"}).encode()
        for number in range(10):
            reply = await ports.call(SIGN_IN, wrong, x_forwarded_for="6.6.6.6", x_peer=f"9.9.9.{number}")
            assert told_by_reply(reply).reason == "SIGN_IN_REFUSED"
        right = json.dumps(account).encode()
        refused = await ports.call(SIGN_IN, right, x_forwarded_for="6.6.6.6", x_peer="1.1.1.1")
        assert told_by_reply(refused).metadata == {"limit": "sign_in"}
        back = await ports.call(SIGN_IN, right, x_forwarded_for="1.1.1.1")
    assert json.loads(back.body)["profile"] == json.loads(made.body)["profile"]


async def test_tokens_that_nobody_gave_are_refused_with_a_reason(gateway, issuer):
    forged = jwt.encode({"sub": "x", "name": "x", "exp": 2**31}, "", algorithm="none")
    own_key = jwt.encode({"sub": "x", "name": "x", "exp": 2**31}, "k" * 64, algorithm="HS256")
    parts = issuer.access_token("6b0f9d1e-6f3c-4a57-9a9a-3f8a4e1f7c11").split(".")
    changed = ".".join((parts[0], jwt.utils.base64url_encode(b'{"sub":"y","name":"y","exp":4e9}').decode(), parts[2]))
    for token in (forged, own_key, changed, "x", "a.b.c"):
        error = told_by_reply(await gateway.call(MY_ACCOUNT, authorization=f"Bearer {token}"))
        assert error.reason == "TOKEN_INVALID", token


async def test_calls_of_operators_and_services_do_not_exist_at_the_edge(gateway, issuer):
    for method in ("AccountAdminService/RotateKey", "FriendService/ListBlockedPairs"):
        reply = await gateway.call(f"/mahjongplanet.account.v1.{method}", authorization=issuer.operator()[0][1])
        assert told_by_reply(reply).reason == "METHOD_NOT_FOUND"


async def test_friends_are_reached_through_the_gateway(gateway):
    people = [json.loads((await gateway.call(CREATE_GUEST)).body) for _ in range(2)]
    ann, bea = (f"Bearer {person['session']['accessToken']}" for person in people)
    body = json.dumps({"playerId": people[1]["profile"]["playerId"]}).encode()
    path = "/mahjongplanet.account.v1.FriendService"
    assert (await gateway.call(f"{path}/SendFriendRequest", body, authorization=ann)).status == 200
    listed = await gateway.call(
        f"{path}/ListFriendRequests", b'{"direction": "REQUEST_DIRECTION_RECEIVED"}', authorization=bea
    )
    assert [one["profile"] for one in json.loads(listed.body)["requests"]] == [people[0]["profile"]]
