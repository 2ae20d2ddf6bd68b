"""What the gateway refuses, and how."""

import gzip
import time
import uuid

import grpc
import pytest
from grpc_status import rpc_status

from mahjongplanet.account.v1.account_service_pb2 import GetMyAccountRequest
from mahjongplanet.account.v1.account_service_pb2_grpc import AccountServiceStub
from mahjongplanet.table.v1.table_service_pb2 import CreateTableRequest, SubmitActionRequest
from mahjongplanet.table.v1.table_service_pb2_grpc import TableServiceStub
from tests.contract.gateway.paths import (
    CREATE_TABLE,
    MY_ACCOUNT,
    SERVER_INFO,
    SIGNING_KEYS,
    SUBMIT_ACTION,
    told_by_google_status,
    told_by_reply,
    told_by_status,
)
from tests.contract.gateway.test_calls import grpc_web
from tests.kit.http import JSON, PROTO, envelope, exchange, fetch
from tests.kit.tokens import TokenIssuer
from tests.kit.wire import refused

LIMIT = 64 << 10
METHOD_NOT_FOUND = ("unimplemented", "METHOD_NOT_FOUND", {"method": CREATE_TABLE})


def summary(error):
    return error.code, error.reason, error.metadata


async def test_method_of_services_does_not_exist_at_any_edge(gateway, issuer, token):
    service = dict(issuer.service())["authorization"]
    for authorization in (token, service):
        assert summary(told_by_reply(await gateway.call(CREATE_TABLE, authorization=authorization))) == METHOD_NOT_FOUND
        _, trailers = await grpc_web(gateway.http, CREATE_TABLE, b"", authorization=authorization)
        error = told_by_status("unimplemented", trailers["grpc-status-details-bin"])
        assert summary(error) == METHOD_NOT_FOUND
        async with gateway.channel() as channel:
            with refused() as refusal:
                await TableServiceStub(channel).CreateTable(
                    CreateTableRequest(), metadata=(("authorization", authorization),)
                )
        assert (refusal.code, refusal.reason) == (grpc.StatusCode.UNIMPLEMENTED, "METHOD_NOT_FOUND")


@pytest.mark.parametrize(
    "path", ["/mahjongplanet.table.v1.TableService/Cheat", "/mahjongplanet.Nothing/At", "/x", "/refused", "/"]
)
async def test_method_that_does_not_exist_is_named(gateway, path):
    reply = await gateway.call(path)
    assert reply.status == 501
    assert summary(told_by_reply(reply)) == ("unimplemented", "METHOD_NOT_FOUND", {"method": path})


async def test_stream_that_does_not_exist_ends_with_the_reason(gateway):
    fields = {"content-type": "application/connect+json"}
    async with exchange(gateway.http, "POST", "/mahjongplanet.No/Watch", fields, envelope(b"{}")) as made:
        await made.read_head()
        ((flags, content),) = [frame async for frame in made.envelopes()]
    assert flags == 2
    assert b"ERROR_REASON_METHOD_NOT_FOUND" in content


async def test_call_without_a_token_is_not_signed_in(gateway):
    reply = await gateway.call(MY_ACCOUNT)
    assert (reply.status, told_by_reply(reply).reason) == (401, "NOT_SIGNED_IN")
    async with gateway.channel() as channel:
        with refused() as refusal:
            await AccountServiceStub(channel).GetMyAccount(GetMyAccountRequest())
    assert refusal.reason == "NOT_SIGNED_IN"


async def test_bad_tokens_are_refused_before_any_service_is_asked(gateway, tables, issuer):
    player = str(uuid.uuid4())
    forged = TokenIssuer().access_token(player)
    expired = issuer.access_token(player, issued_at=int(time.time()) - 10_000)
    head, _, signature = issuer.access_token(player).split(".")
    _, other_claims, _ = issuer.access_token(str(uuid.uuid4())).split(".")
    for token, reason in [
        (forged, "TOKEN_INVALID"),
        (expired, "SESSION_EXPIRED"),
        (f"{head}.{other_claims}.{signature}", "TOKEN_INVALID"),
        ("eyJhbGciOiJub25lIn0.e30.", "TOKEN_INVALID"),
        ("x", "TOKEN_INVALID"),
    ]:
        reply = await gateway.call(SUBMIT_ACTION, authorization=f"Bearer {token}")
        assert (reply.status, told_by_reply(reply).reason) == (401, reason)
    reply = await gateway.call(SUBMIT_ACTION, authorization="Basic eDp5")
    assert told_by_reply(reply).reason == "TOKEN_INVALID"
    assert not tables.requests


@pytest.mark.parametrize("authorization", ["Bearer a\tb", f"Bearer {'a' * 15_000}", "Bearer ", "what is this"])
async def test_method_of_anybody_does_not_look_at_tokens(gateway, authorization):
    assert (await gateway.call(SIGNING_KEYS, authorization=authorization)).status == 200
    _, trailers = await grpc_web(gateway.http, SIGNING_KEYS, b"", authorization=authorization)
    assert trailers["grpc-status"] == "0"


async def test_token_that_is_written_oddly_passes_and_one_that_is_stretched_does_not(gateway, tables, token):
    scheme, good = token.split()
    assert (await gateway.call(SUBMIT_ACTION, authorization=f"{scheme} \t{good}\t")).status == 200
    assert tables.metadata[0]["authorization"] == token
    for stretched in (good + "!" * 15_000, good[:-9] + "\t" + good[-9:], good + "=" * 4096):
        reply = await gateway.call(SUBMIT_ACTION, authorization=f"{scheme} {stretched}")
        assert (reply.status, told_by_reply(reply).reason) == (401, "TOKEN_INVALID")


async def test_service_is_no_player(gateway, issuer):
    reply = await gateway.call(SUBMIT_ACTION, authorization=dict(issuer.service())["authorization"])
    assert summary(told_by_reply(reply)) == ("permission_denied", "CALLER_NOT_ALLOWED", {"caller": "player"})


@pytest.mark.parametrize(
    ("content_type", "body"),
    [
        (JSON, b'{"requestId": "' + b"x" * LIMIT + b'"}'),
        (PROTO, SubmitActionRequest(request_id="x" * LIMIT).SerializeToString()),
    ],
)
async def test_message_over_the_limit_is_refused(gateway, tables, token, content_type, body):
    reply = await gateway.call(SUBMIT_ACTION, body, content_type, authorization=token)
    assert reply.status == 429
    assert summary(told_by_reply(reply)) == ("resource_exhausted", "MESSAGE_TOO_LARGE", {"limit_bytes": str(LIMIT)})
    assert not tables.requests


async def test_message_over_the_limit_is_refused_by_grpc_web_and_native_grpc(gateway, token):
    request = SubmitActionRequest(request_id="x" * LIMIT)
    _, trailers = await grpc_web(gateway.http, SUBMIT_ACTION, request.SerializeToString(), authorization=token)
    assert told_by_status("", trailers["grpc-status-details-bin"]).reason == "MESSAGE_TOO_LARGE"
    async with gateway.channel() as channel:
        with refused() as refusal:
            await TableServiceStub(channel).SubmitAction(request, metadata=(("authorization", token),))
    assert (refusal.reason, refusal.metadata) == ("MESSAGE_TOO_LARGE", {"limit_bytes": str(LIMIT)})


async def test_message_at_the_limit_passes(gateway, tables, token):
    frame = len(SubmitActionRequest(request_id="x" * 1000).SerializeToString()) - 1000 + 1
    body = SubmitActionRequest(request_id="x" * (LIMIT - frame)).SerializeToString()
    assert len(body) == LIMIT
    assert (await gateway.call(SUBMIT_ACTION, body, PROTO, authorization=token)).status == 200


async def test_message_that_grows_over_the_limit_when_unpacked_is_refused(gateway, token):
    bomb = gzip.compress(SubmitActionRequest(request_id="x" * (64 << 20)).SerializeToString())
    assert len(bomb) < 100_000
    body = gzip.compress(SubmitActionRequest(request_id="x" * (4 << 20)).SerializeToString())
    reply = await gateway.call(SUBMIT_ACTION, body, PROTO, authorization=token, content_encoding="gzip")
    assert told_by_reply(reply).reason == "MESSAGE_TOO_LARGE"


@pytest.mark.parametrize(
    ("content_type", "body"),
    [
        (JSON, b"{"),
        (JSON, b"[]"),
        (JSON, b'"text"'),
        (JSON, b'{"requestId": 7}'),
        (JSON, b'{"requestId": "\xff\xfe"}'),
        (JSON, b'{"action": ' + b'{"tiles": ' * 500 + b"[]" + b"}" * 501),
        (PROTO, b"\x0a\xff"),
        (PROTO, b"\xff\xff\xff"),
        (PROTO, b"\x0a\x02\xff\xfe"),
    ],
)
async def test_malformed_message_is_refused(gateway, tables, token, content_type, body):
    reply = await gateway.call(SUBMIT_ACTION, body, content_type, authorization=token)
    assert reply.status == 400
    assert summary(told_by_reply(reply)) == ("invalid_argument", "MALFORMED_MESSAGE", {})
    assert not tables.requests


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"\x00\x00",
        envelope(b"\xff\xff\xff"),
        envelope(b"")[:-1] + b"\x05ab",
        envelope(b"", flags=0x40),
        envelope(b"") + envelope(b""),
        envelope(b"x", flags=1),
    ],
)
async def test_malformed_envelope_is_refused(gateway, tables, token, body):
    fields = {"content-type": "application/grpc-web+proto", "authorization": token}
    async with exchange(gateway.http, "POST", SUBMIT_ACTION, fields, body) as made:
        await made.read_head()
        frames = [content async for _, content in made.envelopes()]
    trailers = dict(line.split(": ", 1) for line in frames[-1].decode().strip().split("\r\n"))
    error = told_by_status("", trailers["grpc-status-details-bin"])
    assert (trailers["grpc-status"], error.reason) == ("3", "MALFORMED_MESSAGE")
    assert not tables.requests


async def test_malformed_native_message_is_refused(gateway, token):
    async with gateway.channel() as channel:
        with pytest.raises(grpc.aio.AioRpcError) as caught:
            await channel.unary_unary(SUBMIT_ACTION)(b"\xff\xff\xff", metadata=(("authorization", token),))
    status = rpc_status.from_call(caught.value)
    assert status is not None
    assert told_by_google_status("", status).reason == "MALFORMED_MESSAGE"


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("connect_timeout_ms", "soon"),
        ("connect_timeout_ms", "-1"),
        ("connect_timeout_ms", "1" * 11),
        ("connect_protocol_version", "2"),
        ("content_encoding", "br"),
    ],
)
async def test_malformed_header_is_named(gateway, name, value):
    reply = await gateway.call(SERVER_INFO, **{name: value})
    error = told_by_reply(reply)
    assert (reply.status, error.reason) == (400, "INVALID_FIELD")
    assert error.metadata["field"] == name.replace("_", "-")


async def test_other_content_types_and_methods_are_no_calls(gateway):
    assert (await gateway.call(SERVER_INFO, b"<a/>", "text/xml")).status == 415
    assert (await gateway.call(SERVER_INFO, b"", "application/grpc")).status == 415
    assert (await fetch(gateway.http, "GET", SERVER_INFO)).status == 405
    assert (await fetch(gateway.http, "PUT", SERVER_INFO)).status == 405
    assert (await fetch(gateway.http, "DELETE", "/")).status == 405


async def test_headers_over_the_limit_are_refused(gateway):
    reply = await gateway.call(SERVER_INFO, x_long="y" * (17 << 10))
    assert reply.status == 431


async def test_headers_that_are_no_text_are_refused(gateway):
    assert (await gateway.call(SERVER_INFO, x_odd="\xe9")).status == 400


async def test_requests_that_never_end_are_given_up(serve_gateway, upstream_address):
    async with serve_gateway(upstream_address, body_timeout_s=0.2) as ports:
        fields = {"content-type": JSON, "content-length": "10"}
        async with exchange(ports.http, "POST", SERVER_INFO, fields, b"{") as made:
            await made.read_head()
            content = b"".join([chunk async for chunk in made.chunks()])
    assert made.status == 504
    assert b"ERROR_REASON_DEADLINE_EXCEEDED" in content
