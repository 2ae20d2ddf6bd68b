"""Unary calls through both ports by every protocol."""

import asyncio
import gzip
import json
import uuid

import grpc
import pytest
from connectrpc.protocol import ProtocolType
from google.protobuf.unknown_fields import UnknownFieldSet
from grpc_status import rpc_status

from mahjong_kit.errors import StaleStateError, ThrottledError
from mahjongplanet.account.v1 import account_service_pb2
from mahjongplanet.account.v1.account_service_connect import AccountServiceClient
from mahjongplanet.account.v1.account_service_pb2_grpc import AccountServiceStub
from mahjongplanet.errors.v1.error_reason_pb2 import ErrorReason
from mahjongplanet.gateway.v1.gateway_service_pb2 import GetServerInfoRequest, GetServerInfoResponse
from mahjongplanet.gateway.v1.gateway_service_pb2_grpc import GatewayServiceStub
from mahjongplanet.table.v1.table_service_pb2 import SubmitActionRequest, SubmitActionResponse
from mahjongplanet.table.v1.table_service_pb2_grpc import TableServiceStub
from tests.contract.gateway.paths import (
    CREATE_GUEST,
    HAND_RECORD,
    MY_ACCOUNT,
    SERVER_INFO,
    SUBMIT_ACTION,
    Told,
    told_by_google_status,
    told_by_reply,
    told_by_status,
)
from tests.kit.http import PROTO, envelope, exchange

GRPC_WEB = "application/grpc-web+proto"
ACTION = SubmitActionRequest(request_id=str(uuid.uuid4()), table_id="table", decision_id="7")


async def grpc_web(port, path, message, **headers):
    """Makes a gRPC-Web call; returns its messages and its trailers."""
    fields = {"content-type": GRPC_WEB, "x-grpc-web": "1"} | headers
    async with asyncio.timeout(60), exchange(port, "POST", path, fields, envelope(message)) as made:
        await made.read_head()
        assert made.status == 200
        frames = [frame async for frame in made.envelopes()]
    messages = [content for flags, content in frames if not flags & 0x80]
    (trailer,) = [content for flags, content in frames if flags & 0x80]
    return messages, dict(line.split(": ", 1) for line in trailer.decode().strip().split("\r\n"))


async def test_guest_signs_in_by_json_and_finds_the_account_by_binary(gateway):
    made = (await gateway.call(CREATE_GUEST, b'{"displayName": "Ann"}')).json()
    token = f"Bearer {made['session']['accessToken']}"
    reply = await gateway.call(MY_ACCOUNT, b"", PROTO, authorization=token)
    mine = account_service_pb2.GetMyAccountResponse.FromString(reply.body)
    assert (reply.status, reply.headers["content-type"]) == (200, PROTO)
    assert (mine.profile.player_id, mine.profile.display_name) == (made["profile"]["playerId"], "Ann")


async def test_guest_signs_in_by_grpc_web_and_finds_the_account_by_native_grpc(gateway):
    request = account_service_pb2.CreateGuestRequest(display_name="Bea").SerializeToString()
    (message,), trailers = await grpc_web(gateway.http, CREATE_GUEST, request)
    made = account_service_pb2.CreateGuestResponse.FromString(message)
    assert trailers["grpc-status"] == "0"
    async with gateway.channel() as channel:
        mine = await AccountServiceStub(channel).GetMyAccount(
            account_service_pb2.GetMyAccountRequest(),
            metadata=(("authorization", f"Bearer {made.session.access_token}"),),
        )
    assert mine.profile == made.profile


@pytest.mark.parametrize("protocol", [ProtocolType.CONNECT, ProtocolType.GRPC_WEB])
async def test_generated_client_works_with_its_defaults_compressed_requests_included(gateway, protocol):
    client = AccountServiceClient(f"http://127.0.0.1:{gateway.http}", protocol=protocol)
    made = await client.create_guest(account_service_pb2.CreateGuestRequest(display_name="Cat"))
    assert made.profile.display_name == "Cat"


async def test_server_info_comes_on_both_ports(gateway):
    info = (await gateway.call(SERVER_INFO)).json()
    assert info["ruleSets"] == ["RULE_SET_CLASSICAL", "RULE_SET_TAIWANESE"]
    assert info["computerFillDuration"] == "15s"
    assert {"clock": "CLOCK_STANDARD", "baseDuration": "5s", "reserveDuration": "20s"} in info["clocks"]
    assert info["serverTime"].endswith("Z")
    async with gateway.channel() as channel:
        native = await GatewayServiceStub(channel).GetServerInfo(GetServerInfoRequest())
    assert isinstance(native, GetServerInfoResponse)
    assert native.version == info["version"]


async def test_fields_of_newer_releases_pass_in_binary(gateway, tables, token):
    newer = ACTION.SerializeToString() + b"\xfa\x3f\x03new"
    reply = await gateway.call(SUBMIT_ACTION, newer, PROTO, authorization=token)
    assert SubmitActionResponse.FromString(reply.body).sequence == 1
    (request,) = tables.requests
    (unknown,) = UnknownFieldSet(request)
    assert (unknown.field_number, unknown.data) == (1023, b"new")


async def test_token_and_request_id_reach_the_service(gateway, tables, token):
    reply = await gateway.call(SUBMIT_ACTION, authorization=token, x_request_id="tap-42")
    assert (tables.metadata[0]["authorization"], tables.request_ids[0]) == (token, "tap-42")
    assert reply.headers["x-request-id"] == "tap-42"


@pytest.mark.parametrize("proposed", ["", "a b", "x" * 65, "<script>"])
async def test_request_id_that_is_none_is_replaced(gateway, tables, token, proposed):
    reply = await gateway.call(SUBMIT_ACTION, authorization=token, x_request_id=proposed)
    assert reply.headers["x-request-id"] == tables.request_ids[0] != proposed


async def failing(error):
    raise error


async def errors_by_protocol(gateway, token) -> list[Told]:
    """Makes one SubmitAction by each protocol; returns the errors."""
    message = ACTION.SerializeToString()
    as_json = told_by_reply(await gateway.call(SUBMIT_ACTION, authorization=token))
    as_binary = told_by_reply(await gateway.call(SUBMIT_ACTION, message, PROTO, authorization=token))
    _, trailers = await grpc_web(gateway.http, SUBMIT_ACTION, message, authorization=token)
    as_web = told_by_status(as_json.code, trailers["grpc-status-details-bin"])
    async with gateway.channel() as channel:
        with pytest.raises(grpc.aio.AioRpcError) as caught:
            await TableServiceStub(channel).SubmitAction(ACTION, metadata=(("authorization", token),))
    codes = {code.value[0]: code.value[1] for code in grpc.StatusCode}
    assert codes[int(trailers["grpc-status"])] == caught.value.code().value[1] == as_json.code.replace("_", " ")
    native = told_by_google_status(as_json.code, rpc_status.from_call(caught.value))
    return [as_json, as_binary, as_web, native]


async def test_error_of_a_service_passes_unchanged_by_every_protocol(gateway, tables, token):
    reason = ErrorReason.ERROR_REASON_DECISION_CLOSED
    tables.act = lambda: failing(StaleStateError(reason, decision_id="7", open_decision_id="8"))
    metadata = {"decision_id": "7", "open_decision_id": "8"}
    wanted = Told("aborted", "DECISION_CLOSED", metadata, None, "decision closed")
    assert await errors_by_protocol(gateway, token) == [wanted] * 4


async def test_retry_info_of_a_service_passes_by_every_protocol(gateway, tables, token):
    tables.act = lambda: failing(ThrottledError(ErrorReason.ERROR_REASON_TABLE_BUSY, retry_after_s=0.25))
    wanted = Told("resource_exhausted", "TABLE_BUSY", {}, 0.25, "table busy")
    assert await errors_by_protocol(gateway, token) == [wanted] * 4


async def test_fault_of_a_service_is_told_without_its_text(gateway, tables, token):
    tables.act = lambda: failing(ValueError("the wall is 1b 2b 3b"))
    reply = await gateway.call(SUBMIT_ACTION, authorization=token, x_request_id="tap-43")
    error = told_by_reply(reply)
    assert (reply.status, error.code, error.reason) == (500, "internal", "INTERNAL")
    assert error.metadata == {"request_id": "tap-43"}
    assert b"wall" not in reply.body


async def test_json_shows_the_reason_to_people_too(gateway):
    details = (await gateway.call(MY_ACCOUNT)).json()["details"]
    assert details[0]["debug"] == {"reason": "ERROR_REASON_NOT_SIGNED_IN", "domain": "mahjongplanet"}


async def test_callers_deadline_ends_the_call_behind_too(gateway, tables, token):
    cancelled = asyncio.Event()

    async def hang():
        try:
            await asyncio.sleep(30)
        finally:
            cancelled.set()

    tables.act = hang
    reply = await gateway.call(SUBMIT_ACTION, authorization=token, connect_timeout_ms="1500")
    error = told_by_reply(reply)
    assert (reply.status, error.code, error.reason) == (504, "deadline_exceeded", "DEADLINE_EXCEEDED")
    async with asyncio.timeout(60):
        await cancelled.wait()


async def test_client_that_has_gone_ends_the_call_behind(gateway, tables, token):
    started, cancelled = asyncio.Event(), asyncio.Event()

    async def hang():
        started.set()
        try:
            await asyncio.sleep(30)
        finally:
            cancelled.set()

    tables.act = hang
    fields = {"content-type": "application/json", "authorization": token}
    async with asyncio.timeout(60), exchange(gateway.http, "POST", SUBMIT_ACTION, fields, b"{}") as made:
        await started.wait()
        made.abandon()
        await cancelled.wait()


async def test_only_large_responses_are_compressed(gateway, token):
    small = await gateway.call(SERVER_INFO, accept_encoding="gzip")
    large = await gateway.call(HAND_RECORD, authorization=token, accept_encoding="gzip")
    assert small.headers["content-encoding"] == "identity"
    assert large.headers["content-encoding"] == "gzip"
    assert len(large.body) < 1000 < len(json.loads(gzip.decompress(large.body))["recordJson"])


async def test_responses_of_calls_are_never_stored(gateway):
    reply = await gateway.call(SERVER_INFO)
    assert reply.headers["cache-control"] == "no-store"
    assert reply.headers["x-content-type-options"] == "nosniff"


async def test_service_that_is_away_is_named(serve_gateway, token):
    async with serve_gateway("127.0.0.1:1", hold_s=0) as gateway:
        reply = await gateway.call("/mahjongplanet.rating.v1.RatingService/BatchGetRatings", authorization=token)
    error = told_by_reply(reply)
    assert (reply.status, error.code, error.reason) == (503, "unavailable", "SERVICE_UNREACHABLE")
    assert error.metadata == {"service": "rating"}
    assert error.retry_after_s == 1.0
