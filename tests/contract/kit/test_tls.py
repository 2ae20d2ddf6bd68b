"""TLS between services: who may speak to whom, and certificates that are renewed."""

import asyncio
import math
import ssl
import time
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import grpc
import pytest
from cryptography import x509
from grpc_health.v1 import health_pb2, health_pb2_grpc

from mahjong_kit.metrics import ServiceMetrics
from mahjong_kit.run import _serve_until_asked as serve_until_asked
from mahjong_kit.server import build_server, serving
from mahjong_kit.settings import SettingsError
from mahjong_kit.tls import certificate_end, channel_credentials
from mahjongplanet.table.v1 import table_service_pb2 as pb
from mahjongplanet.table.v1.table_service_pb2_grpc import TableServiceStub
from tests.contract.kit.conftest import Bench, ScriptedTable
from tests.kit.certificates import LIFETIME, TestAuthority
from tests.kit.serving import patient_stub, plain_settings
from tests.kit.tokens import TokenIssuer

CALL_TIMEOUT_S = 60


@pytest.fixture
def authority(tmp_path: Path) -> TestAuthority:
    return TestAuthority(tmp_path)


def build(issuer: TokenIssuer, **settings: Any):
    plain = plain_settings(**settings)
    built = build_server(
        ScriptedTable(), settings=plain, metrics=ServiceMetrics("test"), authenticator=issuer.authenticator()
    )
    return built, plain


@asynccontextmanager
async def running(issuer: TokenIssuer, **settings: Any):
    built, plain = build(issuer, **settings)
    async with serving(built, plain):
        yield built


async def call(issuer: TokenIssuer, port: int, **settings: Any) -> str:
    """Calls as a service that is set up so; returns OK or the code of the refusal."""
    credentials = channel_credentials(plain_settings(**settings))
    async with patient_stub(TableServiceStub, f"127.0.0.1:{port}", credentials=credentials) as stub:
        try:
            # CreateTable is not repeated by the channel, so a refused connection is told at once.
            await stub.CreateTable(pb.CreateTableRequest(), metadata=issuer.service(), timeout=CALL_TIMEOUT_S)
        except grpc.aio.AioRpcError as error:
            return error.code().name
        return "OK"


async def served_serial(port: int, authority: TestAuthority) -> int:
    """Returns the serial number of the certificate that a server shows."""
    context = ssl.create_default_context(cafile=str(authority.file))
    context.set_alpn_protocols(["h2"])
    _, writer = await asyncio.open_connection("127.0.0.1", port, ssl=context, server_hostname="127.0.0.1")
    shown = writer.get_extra_info("ssl_object").getpeercert(binary_form=True)
    writer.close()
    return x509.load_der_x509_certificate(shown).serial_number


async def test_services_of_one_authority_speak_to_each_other(issuer, authority):
    async with running(issuer, tls="mutual", **authority.settings("table")) as built:
        assert await call(issuer, built.port, **authority.settings("matchmaker")) == "OK"


async def test_caller_without_a_certificate_is_refused_where_both_sides_must_have_one(issuer, authority):
    async with running(issuer, tls="mutual", **authority.settings("table")) as built:
        assert await call(issuer, built.port, tls_authority_file=authority.file) == "UNAVAILABLE"


async def test_caller_with_a_certificate_of_another_authority_is_refused(issuer, authority, tmp_path):
    foreign = TestAuthority(tmp_path, "foreign").settings("stranger") | {"tls_authority_file": authority.file}
    async with running(issuer, tls="mutual", **authority.settings("table")) as built:
        assert await call(issuer, built.port, **foreign) == "UNAVAILABLE"


async def test_caller_without_a_certificate_is_served_where_only_the_server_must_have_one(issuer, authority):
    async with running(issuer, tls="server", **authority.settings("table")) as built:
        assert await call(issuer, built.port, tls_authority_file=authority.file) == "OK"


async def test_caller_without_tls_is_refused(issuer, authority):
    async with running(issuer, tls="server", **authority.settings("table")) as built:
        assert await call(issuer, built.port) == "UNAVAILABLE"


async def test_server_of_another_authority_or_name_is_not_spoken_to(issuer, authority, tmp_path):
    foreign = TestAuthority(tmp_path, "foreign").settings("impostor")
    async with running(issuer, tls="server", **foreign) as built:
        assert await call(issuer, built.port, **authority.settings("matchmaker")) == "UNAVAILABLE"
    async with running(issuer, tls="server", **authority.settings("table", host="elsewhere.test")) as built:
        assert await call(issuer, built.port, **authority.settings("matchmaker")) == "UNAVAILABLE"


async def test_renewed_certificate_counts_from_the_next_connection_without_a_restart(issuer, authority):
    async with running(issuer, tls="server", **authority.settings("table")) as built:
        before = await served_serial(built.port, authority)
        authority.write("table")
        after = await served_serial(built.port, authority)
        assert before != after
        assert await served_serial(built.port, authority) == after
        assert await call(issuer, built.port, **authority.settings("matchmaker")) == "OK"


async def test_unreadable_renewal_leaves_the_old_certificate_in_use(issuer, authority):
    settings = authority.settings("table")
    async with running(issuer, tls="server", **settings) as built:
        before = await served_serial(built.port, authority)
        settings["tls_key_file"].unlink()
        assert await served_serial(built.port, authority) == before


@pytest.mark.parametrize("tls", ["off", "mutual"])
async def test_health_port_answers_probes_without_tls_and_nothing_else(issuer, authority, tls):
    async with running(issuer, tls=tls, health_port=0, **authority.settings("table")) as built:
        async with grpc.aio.insecure_channel(f"127.0.0.1:{built.probed.port}") as channel:
            request = health_pb2.HealthCheckRequest(service=built.services[0])
            answer = await health_pb2_grpc.HealthStub(channel).Check(request, timeout=CALL_TIMEOUT_S)
            assert answer.status == health_pb2.HealthCheckResponse.SERVING
        assert await call(issuer, built.probed.port) == "UNIMPLEMENTED"


async def test_health_port_says_no_while_the_service_goes_down(issuer):
    built, plain = build(issuer, health_port=0, probe_period_s=0)
    async with grpc.aio.insecure_channel(f"127.0.0.1:{built.probed.port}") as channel, serving(built, plain):
        await built.health.enter_graceful_shutdown()
        answer = await health_pb2_grpc.HealthStub(channel).Check(
            health_pb2.HealthCheckRequest(), timeout=CALL_TIMEOUT_S
        )
        assert answer.status == health_pb2.HealthCheckResponse.NOT_SERVING


@pytest.mark.parametrize(
    ("changed", "problem"),
    [
        ({"tls_certificate_file": None}, "TEST_TLS_CERTIFICATE_FILE is not set"),
        ({"tls_authority_file": None}, "TEST_TLS_AUTHORITY_FILE is not set"),
        ({"tls_key_file": Path("/nowhere/tls.key")}, "TEST_TLS_KEY_FILE is wrong: No such file or directory"),
        ({"transport": "native"}, "TEST_TRANSPORT is wrong: native knows no TLS and no connection age"),
    ],
)
async def test_server_that_lacks_something_for_tls_does_not_start(issuer, authority, changed, problem):
    with pytest.raises(SettingsError) as caught:
        build(issuer, tls="mutual", **(authority.settings("table") | changed))
    assert str(caught.value) == problem


def test_caller_whose_authority_is_missing_does_not_start(authority):
    with pytest.raises(SettingsError) as caught:
        channel_credentials(plain_settings(tls_authority_file=Path("/nowhere/ca.crt")))
    assert str(caught.value) == "TEST_TLS_AUTHORITY_FILE is wrong: No such file or directory"


def test_end_of_the_certificate_that_calls_are_made_by_is_known(authority, tmp_path):
    settings = plain_settings(**authority.settings("table"))
    assert 0 < certificate_end(settings) - time.time() <= LIFETIME.total_seconds()
    assert certificate_end(plain_settings()) == math.inf
    for content, problem in ((None, "No such file or directory"), ("garbage", "no certificate")):
        file = tmp_path / "other.pem"
        if content is not None:
            file.write_text(content)
        with pytest.raises(SettingsError) as caught:
            certificate_end(plain_settings(tls_certificate_file=file))
        assert str(caught.value) == f"TEST_TLS_CERTIFICATE_FILE is wrong: {problem}"


async def test_process_shows_the_end_of_the_certificate_that_it_started_with(authority):
    shown = []

    async def serve(settings, metrics, stop):
        shown.append(metrics.registry.get_sample_value("mahjong_test_certificate_expires_timestamp_seconds"))

    settings = plain_settings(**authority.settings("table"))
    await serve_until_asked(serve, settings)
    assert shown == [certificate_end(settings)]


async def test_old_connection_takes_no_new_calls_so_that_addresses_are_looked_up_again(issuer):
    async with Bench(issuer, "grpc").open(connection_age_max_s=0.2) as bench:
        await bench.create_table()
        state = bench.channel.get_state(try_to_connect=True)
        while state is not grpc.ChannelConnectivity.READY:
            await bench.channel.wait_for_state_change(state)
            state = bench.channel.get_state()
        async with asyncio.timeout(CALL_TIMEOUT_S):
            await bench.channel.wait_for_state_change(state)  # The server has told the connection to go.
        await bench.create_table()
