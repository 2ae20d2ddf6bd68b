"""Tokens and callers."""

import time

import grpc
import jwt
import pytest
from grpc_health.v1 import health_pb2_grpc
from grpc_reflection.v1alpha import reflection_pb2_grpc

from mahjong_kit.auth import Authenticator, InternalTokens, Operator, Player, Service, current_identity, current_player
from mahjong_kit.call import Call
from mahjong_kit.errors import ForbiddenError, service_unreachable
from mahjong_kit.keys import FetchedKeys
from mahjong_kit.layers import admit_caller
from mahjong_kit.metrics import ServiceMetrics
from mahjong_kit.server import build_server
from mahjongplanet.options.v1 import options_pb2
from tests.kit.serving import plain_settings
from tests.kit.tokens import SERVICE_KEY, TokenIssuer, bearer
from tests.kit.wire import refused


async def test_player_is_known_to_the_handler(bench):
    seen = []

    async def act():
        seen.append(current_player())

    bench.script.act = act
    await bench.get_my_table(metadata=bench.issuer.player("p1", "李"))
    assert seen == [Player("p1", "李")]


async def test_service_is_known_to_the_handler(bench):
    seen = []

    async def act():
        seen.append(current_identity())

    bench.script.act = act
    await bench.create_table(metadata=bench.issuer.service("replay"))
    assert seen == [Service("replay")]


async def test_call_without_a_token_is_not_signed_in(bench):
    with refused() as refusal:
        await bench.get_my_table(metadata=())
    assert (refusal.code, refusal.reason) == (grpc.StatusCode.UNAUTHENTICATED, "NOT_SIGNED_IN")


OWN = object()


def signed(issuer, key=OWN, algorithm="EdDSA", key_id=None, **changed):
    now = int(time.time())
    claims = {"iss": "mahjongplanet", "aud": "mahjongplanet", "sub": "p", "name": "n", "iat": now, "exp": now + 60}
    claims = {name: value for name, value in (claims | changed).items() if value is not None}
    return jwt.encode(claims, issuer._key if key is OWN else key, algorithm, {"kid": key_id or issuer.signer.key_id})


@pytest.mark.parametrize(
    "forge",
    [
        lambda issuer: "",
        lambda issuer: "nonsense",
        lambda issuer: "a.b.c",
        lambda issuer: TokenIssuer().access_token("p"),
        lambda issuer: signed(issuer, key=TokenIssuer()._key),
        lambda issuer: signed(issuer, key_id="unknown"),
        lambda issuer: signed(issuer, aud="mahjongplanet-internal"),
        lambda issuer: signed(issuer, iss="somebody"),
        lambda issuer: signed(issuer, exp=None),
        lambda issuer: signed(issuer, exp="soon"),
        lambda issuer: signed(issuer, sub=None),
        lambda issuer: signed(issuer, name=None),
        lambda issuer: signed(issuer, key=None, algorithm="none"),
        lambda issuer: signed(issuer, key="k" * 32, algorithm="HS256"),
        lambda issuer: signed(issuer, key=SERVICE_KEY, algorithm="HS256"),
        lambda issuer: signed(issuer, key=SERVICE_KEY, algorithm="HS256", aud="mahjongplanet-internal"),
        lambda issuer: signed(issuer, key=SERVICE_KEY, algorithm="HS256", aud="mahjongplanet-internal", sub="p:1"),
        lambda issuer: signed(issuer, key=SERVICE_KEY, algorithm="HS512"),
        lambda issuer: InternalTokens(Service("x"), "another service key of 32 bytes!").token(),
        lambda issuer: issuer.access_token("p")[:-4] + "AAAA",
    ],
)
async def test_forged_token_is_invalid(bench, forge):
    with refused() as refusal:
        await bench.get_my_table(metadata=bearer(forge(bench.issuer)))
    assert (refusal.code, refusal.reason) == (grpc.StatusCode.UNAUTHENTICATED, "TOKEN_INVALID")


@pytest.mark.parametrize("scheme", ["Basic ", "", "Bearer"])
async def test_token_of_another_scheme_is_invalid(bench, scheme):
    with refused() as refusal:
        await bench.get_my_table(metadata=(("authorization", scheme + bench.issuer.access_token("p")),))
    assert refusal.reason == "TOKEN_INVALID"


async def test_scheme_in_lower_case_is_fine(bench):
    await bench.get_my_table(metadata=(("authorization", "bearer " + bench.issuer.access_token("p")),))


async def test_expired_token_is_told_from_an_invalid_one(bench):
    with refused() as refusal:
        await bench.get_my_table(metadata=bearer(bench.issuer.access_token("p", issued_at=int(time.time()) - 901)))
    assert (refusal.code, refusal.reason) == (grpc.StatusCode.UNAUTHENTICATED, "SESSION_EXPIRED")


async def test_token_that_was_good_before_expires_all_the_same(closed_bench, issuer):
    now = [time.time()]
    authenticator = Authenticator(FetchedKeys(issuer._keys), SERVICE_KEY, lambda: now[0])
    async with closed_bench.open(authenticator) as bench:
        token = bearer(issuer.access_token("p", issued_at=int(now[0])))
        await bench.get_my_table(metadata=token)
        now[0] += 900
        with refused() as refusal:
            await bench.get_my_table(metadata=token)
    assert refusal.reason == "SESSION_EXPIRED"


@pytest.mark.parametrize("who", ["service", "operator"])
async def test_method_for_players_refuses_others(bench, who):
    with refused() as refusal:
        await bench.get_my_table(metadata=getattr(bench.issuer, who)())
    assert (refusal.code, refusal.reason) == (grpc.StatusCode.PERMISSION_DENIED, "CALLER_NOT_ALLOWED")
    assert refusal.metadata == {"caller": "player"}


@pytest.mark.parametrize("who", ["player", "operator"])
async def test_method_for_services_refuses_others(bench, who):
    with refused() as refusal:
        await bench.create_table(metadata=getattr(bench.issuer, who)())
    assert (refusal.code, refusal.reason) == (grpc.StatusCode.PERMISSION_DENIED, "CALLER_NOT_ALLOWED")
    assert refusal.metadata == {"caller": "service"}


async def test_operator_token_says_who_it_is(issuer):
    token = InternalTokens(Operator("ann"), SERVICE_KEY).token()
    assert await issuer.authenticator().authenticate(token) == Operator("ann")


async def test_player_is_unavailable_while_the_keys_cannot_be_had(closed_bench):
    async def fetch():
        raise service_unreachable("account")

    async with closed_bench.open(Authenticator(FetchedKeys(fetch), SERVICE_KEY)) as bench:
        with refused() as refusal:
            await bench.get_my_table()
    assert (refusal.code, refusal.reason) == (grpc.StatusCode.UNAVAILABLE, "SERVICE_UNREACHABLE")
    assert refusal.metadata == {"service": "account"}


def test_server_of_a_method_that_does_not_say_who_may_call_is_not_built(issuer):
    with pytest.raises(TypeError, match=r"/grpc\.health\.v1\.Health/Check does not say who may call it"):
        build_server(
            health_pb2_grpc.HealthServicer(),
            settings=plain_settings(),
            metrics=ServiceMetrics("test"),
            authenticator=issuer.authenticator(),
        )


async def test_method_added_past_the_kit_is_for_nobody(closed_bench):
    async def answer(request, context):
        return b""

    async with closed_bench.open(sneaked={"Method": grpc.unary_unary_rpc_method_handler(answer)}) as bench:
        for metadata in ((), bench.issuer.player(), bench.issuer.service(), bench.issuer.operator()):
            with refused() as refusal:
                await bench.channel.unary_unary("/sneaked.Service/Method")(b"", metadata=metadata)
            assert refusal.reason == "CALLER_NOT_ALLOWED"
            assert refusal.metadata == {"caller": "unspecified"}


async def admitted(caller, issuer, metadata):
    """Calls through the layer of a method for this caller; returns who the handler sees."""

    async def handle(_):
        return current_identity()

    layer = admit_caller(caller, issuer.authenticator())
    return await layer(handle)(Call("Service/Method", b"", None, dict(metadata), is_stream=False))


async def test_method_for_operators_is_for_operators_alone(issuer):
    assert await admitted(options_pb2.CALLER_OPERATOR, issuer, issuer.operator("ann")) == Operator("ann")
    for metadata in (issuer.player(), issuer.service()):
        with pytest.raises(ForbiddenError) as caught:
            await admitted(options_pb2.CALLER_OPERATOR, issuer, metadata)
        assert caught.value.metadata == {"caller": "operator"}


async def test_public_method_does_not_look_at_tokens(issuer):
    assert await admitted(options_pb2.CALLER_PUBLIC, issuer, bearer("nonsense")) is None


def test_server_of_a_method_with_a_stream_of_requests_is_not_built(issuer):
    with pytest.raises(TypeError, match="takes a stream of requests"):
        build_server(
            reflection_pb2_grpc.ServerReflectionServicer(),
            settings=plain_settings(),
            metrics=ServiceMetrics("test"),
            authenticator=issuer.authenticator(),
        )
