"""Calls while the service behind is away for a moment."""

import asyncio
import time

import pytest

from mahjong_cli.serve.supervisor import free_ports
from mahjong_kit.errors import ServiceError, StaleStateError, UnavailableError
from mahjongplanet.errors.v1.error_reason_pb2 import ErrorReason
from tests.contract.gateway.paths import CREATE_GUEST, SUBMIT_ACTION, told_by_reply
from tests.contract.gateway.upstreams import Tables, upstream


async def test_repeatable_call_waits_for_a_service_that_restarts(serve_gateway, issuer, token):
    (port,) = free_ports(1)
    tables = Tables()
    async with serve_gateway(f"127.0.0.1:{port}") as ports:
        calling = asyncio.create_task(ports.call(SUBMIT_ACTION, authorization=token))
        await asyncio.sleep(0.5)
        assert not calling.done()
        async with upstream(issuer, tables, port=port):
            reply = await calling
    assert (reply.status, len(tables.requests)) == (200, 1)


@pytest.mark.parametrize(
    "error",
    [
        UnavailableError(ErrorReason.ERROR_REASON_DRAINING),
        StaleStateError(ErrorReason.ERROR_REASON_LEASE_LOST),
    ],
)
async def test_repeatable_call_is_sent_again_when_its_worker_moves(gateway, tables, token, error: ServiceError):
    async def move() -> None:
        if len(tables.requests) < 3:
            raise error

    tables.act = move
    reply = await gateway.call(SUBMIT_ACTION, b'{"requestId": "tap-1"}', authorization=token)
    assert reply.status == 200
    assert [request.request_id for request in tables.requests] == ["tap-1"] * 3


async def test_call_that_hung_for_longer_than_it_is_held_is_still_sent_again(
    serve_gateway, upstream_address, tables, token
):
    async def move() -> None:
        if len(tables.requests) == 1:
            await asyncio.sleep(5)
            raise UnavailableError(ErrorReason.ERROR_REASON_DRAINING)

    tables.act = move
    async with serve_gateway(upstream_address, hold_s=5) as ports:
        reply = await ports.call(SUBMIT_ACTION, authorization=token)
    assert (reply.status, len(tables.requests)) == (200, 2)


async def test_held_call_is_given_up_after_its_time(serve_gateway, token):
    async with serve_gateway("127.0.0.1:1", hold_s=0.5) as ports:
        started = time.monotonic()
        reply = await ports.call(SUBMIT_ACTION, authorization=token)
        took_s = time.monotonic() - started
    error = told_by_reply(reply)
    assert (error.code, error.reason, error.metadata) == ("unavailable", "SERVICE_UNREACHABLE", {"service": "table"})
    assert took_s > 0.2


async def test_call_that_may_not_be_repeated_is_not_held(serve_gateway, upstream_address):
    async with serve_gateway(upstream_address, account_address="127.0.0.1:1", hold_s=60.0) as ports:
        async with asyncio.timeout(60):
            reply = await ports.call(CREATE_GUEST)
    assert told_by_reply(reply).reason == "SERVICE_UNREACHABLE"


async def test_other_errors_are_not_held(gateway, tables, token):
    async def refuse() -> None:
        raise StaleStateError(ErrorReason.ERROR_REASON_DECISION_CLOSED, decision_id="1")

    tables.act = refuse
    assert told_by_reply(await gateway.call(SUBMIT_ACTION, authorization=token)).reason == "DECISION_CLOSED"
    assert len(tables.requests) == 1


async def test_held_call_ends_at_the_callers_deadline(serve_gateway, token):
    async with serve_gateway("127.0.0.1:1", hold_s=60.0) as ports:
        async with asyncio.timeout(60):
            reply = await ports.call(SUBMIT_ACTION, authorization=token, connect_timeout_ms="300")
    assert told_by_reply(reply).reason == "DEADLINE_EXCEEDED"
