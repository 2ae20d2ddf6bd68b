"""The gateway as a process of its own: starting, bad settings, going down."""

import asyncio
import json
import signal
import socket

import pytest

from tests.contract.gateway.paths import CREATE_GUEST, SERVER_INFO, WATCH_TABLE, told, told_by_reply
from tests.contract.gateway.upstreams import Tables, heartbeat, upstream
from tests.kit.http import JSON, envelope, exchange, fetch
from tests.kit.processes import service_process
from tests.kit.tokens import SERVICE_KEY, TokenIssuer

NOBODY = "127.0.0.1:1"


def gateway_process(**settings):
    fields = {
        "service_key": SERVICE_KEY,
        "http_port": 0,
        "account_address": NOBODY,
        "matchmaker_address": NOBODY,
        "table_address": NOBODY,
        "rating_address": NOBODY,
        "replay_address": NOBODY,
        "web_root": "/nonexistent",
    }
    return service_process("gateway", **(fields | settings))


async def http_port(process):
    return (await asyncio.to_thread(process.wait_for, "http.started"))["port"]


async def test_gateway_starts_before_the_services_and_says_which_one_is_away():
    with gateway_process() as process:
        port = await http_port(process)
        await asyncio.to_thread(process.started)
        assert (await fetch(port, "GET", "/healthz")).status == 200
        assert (await fetch(port, "POST", SERVER_INFO, {"content-type": JSON}, b"{}")).status == 200
        reply = await fetch(port, "POST", CREATE_GUEST, {"content-type": JSON}, b"{}")
        error = told_by_reply(reply)
        assert (error.reason, error.metadata) == ("SERVICE_UNREACHABLE", {"service": "account"})
        assert await asyncio.to_thread(process.stop) == 0


@pytest.mark.parametrize(("field", "variable"), [("http_port", "GATEWAY_HTTP_PORT"), ("port", "GATEWAY_PORT")])
def test_taken_port_ends_the_gateway_with_one_clear_line(field, variable):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        with gateway_process(**{field: port}) as process:
            assert process.ended() == 3
            assert process.errors() == (
                f"mahjong-gateway: cannot listen on 127.0.0.1:{port}; set {variable} to a free port\n"
            )


async def test_port_of_another_gateway_is_taken_too():
    with gateway_process() as first:
        port = await http_port(first)
        with gateway_process(http_port=port) as second:
            assert await asyncio.to_thread(second.ended) == 3


def test_bad_setting_is_named():
    with gateway_process(trusted_proxies="many") as process:
        assert process.ended() == 2
        assert process.errors().startswith("mahjong-gateway: GATEWAY_TRUSTED_PROXIES is wrong")


async def test_gateway_goes_down_in_order(account_address, issuer: TokenIssuer):
    tables = Tables()
    async with upstream(issuer, tables) as address:
        with gateway_process(account_address=account_address, table_address=address, probe_period_s=8) as process:
            port = await http_port(process)
            token = f"Bearer {issuer.access_token('ann')}"
            fields = {"content-type": "application/connect+json", "authorization": token}
            async with exchange(port, "POST", WATCH_TABLE, fields, envelope(b"{}")) as made:
                tables.sent.put_nowait(heartbeat(1))
                await made.read_head()
                frames = aiter(made.envelopes())
                await anext(frames)
                process.send(signal.SIGTERM)
                await asyncio.to_thread(process.wait_for, "service.draining")
                assert (await fetch(port, "GET", "/healthz")).status == 503
                assert (await fetch(port, "POST", SERVER_INFO, {"content-type": JSON}, b"{}")).status == 200
                tables.sent.put_nowait(heartbeat(2))
                assert b'"sequence": "2"' in (await anext(frames))[1], "streams go on while probes find out"
                flags, end = await anext(frames)
            assert flags == 2
            error = told(json.loads(end)["error"])
            assert (error.code, error.reason) == ("unavailable", "DRAINING")
            assert await asyncio.to_thread(process.ended) == 0
    async with asyncio.timeout(60):
        await tables.unwatched.wait()
