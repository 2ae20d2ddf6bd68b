"""The platform by mutual TLS: each service a process with a certificate of its own, as the chart sets it up."""

import asyncio
import json
import sys
from contextlib import ExitStack

import grpc
import pytest
from grpc_health.v1 import health_pb2, health_pb2_grpc

from tests.contract.gateway.paths import CREATE_GUEST
from tests.kit.certificates import TestAuthority
from tests.kit.http import JSON, fetch
from tests.kit.processes import clean_environment, service_process
from tests.kit.tokens import SERVICE_KEY

MY_TABLE = "/mahjongplanet.table.v1.TableService/GetMyTable"
PRACTICE = "/mahjongplanet.matchmaker.v1.MatchmakerService/StartPractice"
TERMS = {
    "requestId": "5f0c6a3e-6f2b-4f0e-9d55-0d6c1c8f2b11",
    "ruleSet": "RULE_SET_CLASSICAL",
    "clock": "CLOCK_UNTIMED",
    "length": "MATCH_LENGTH_ONE_HAND",
    "computers": ["COMPUTER_LEVEL_BASIC"] * 3,
}
NOBODY = "127.0.0.1:1"
PATIENCE_S = 60


class Platform:
    """Services by mutual TLS, each reached by those that start after it."""

    def __init__(self, stack: ExitStack, authority: TestAuthority) -> None:
        self._stack = stack
        self._authority = authority
        self.addresses: dict[str, str] = {}

    async def start(self, name: str, **settings):
        """Starts a service; returns its process once it serves."""
        known = {f"{called}_address": address for called, address in self.addresses.items()}
        away = {f"{called}_address": NOBODY for called in ("rating", "replay")}
        secured = {"service_key": SERVICE_KEY, "tls": "mutual", **self._authority.settings(name)}
        process = self._stack.enter_context(service_process(name, **(away | secured | known | settings)))
        if name != "gateway":
            self.addresses[name] = await asyncio.to_thread(process.started)
        return process


async def ask(port, path, request, token=""):
    """Calls through the gateway; returns the answer."""
    headers = {"content-type": JSON, **({"authorization": f"Bearer {token}"} if token else {})}
    async with asyncio.timeout(PATIENCE_S):
        reply = await fetch(port, "POST", path, headers, json.dumps(request).encode())
    assert reply.status == 200, reply.body
    return json.loads(reply.body)


async def operate(address, command, files):
    """Runs `mahjong admin` as in a container: the key and the certificates are those of the service beside it."""
    secured = {f"MAHJONG_{name}".upper(): str(path) for name, path in files.items()}
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "mahjong_cli", "admin", "--key-file", "/nonexistent", "--address", address, command),
        env=clean_environment() | secured | {"MAHJONG_SERVICE_KEY": SERVICE_KEY},
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    output, errors = await process.communicate()
    assert process.returncode == 0, errors
    return [json.loads(line) for line in output.splitlines()]


async def test_player_gets_a_table_through_services_that_speak_mutual_tls(tmp_path, redis_url):
    with ExitStack() as stack:
        authority = TestAuthority(tmp_path)
        platform = Platform(stack, authority)
        await platform.start("account", database_dsn=f"sqlite:///{tmp_path}/account.db")
        await platform.start("table", database_dsn=f"sqlite:///{tmp_path}/table.db", redis_url=redis_url)
        await platform.start("matchmaker", redis_url=redis_url)
        gateway = await platform.start("gateway", tls="off", http_port=0, web_root="/nonexistent")
        port = (await asyncio.to_thread(gateway.wait_for, "http.started"))["port"]
        guest = await ask(port, CREATE_GUEST, {"displayName": "Ann"})
        token = guest["session"]["accessToken"]
        started = await ask(port, PRACTICE, TERMS, token)
        assert (await ask(port, MY_TABLE, {}, token))["tableId"] == started["tableId"]
        (worker,) = await operate(platform.addresses["table"], "workers", authority.settings("operator"))
        assert (worker["address"], worker["table_count"]) == (platform.addresses["table"], 1)
        for name, address in platform.addresses.items():
            async with grpc.aio.insecure_channel(address) as channel:
                with pytest.raises(grpc.aio.AioRpcError) as caught:
                    await health_pb2_grpc.HealthStub(channel).Check(health_pb2.HealthCheckRequest(), timeout=PATIENCE_S)
            assert caught.value.code() is grpc.StatusCode.UNAVAILABLE, name
