"""The account service as a process of its own: crashes, restarts, replicas, bad settings."""

import signal
import socket
import sqlite3
import urllib.request
from contextlib import closing

import pytest
from cryptography.hazmat.primitives.asymmetric.rsa import generate_private_key
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

from mahjongplanet.account.v1 import account_service_pb2 as pb
from mahjongplanet.account.v1.account_service_pb2_grpc import AccountServiceStub
from tests.kit.processes import START_TIMEOUT_S, ServiceProcess, environment_of, service_process
from tests.kit.serving import patient_stub
from tests.kit.tokens import SERVICE_KEY, bearer

ANYTHING_S = 60


def account_process(dsn, **settings):
    return service_process("account", **({"database_dsn": dsn, "service_key": SERVICE_KEY} | settings))


async def test_crash_and_restart_keep_keys_and_sessions(database_dsn):
    with account_process(database_dsn) as process:
        async with patient_stub(AccountServiceStub, process.started()) as account:
            guest = await account.CreateGuest(pb.CreateGuestRequest(display_name="Lin"))
            keys = await account.ListSigningKeys(pb.ListSigningKeysRequest())
        process.kill()
    with account_process(database_dsn) as process:
        async with patient_stub(AccountServiceStub, process.started()) as account:
            assert await account.ListSigningKeys(pb.ListSigningKeysRequest()) == keys
            me = bearer(guest.session.access_token)
            assert (await account.GetMyAccount(pb.GetMyAccountRequest(), metadata=me)).profile == guest.profile
            request = pb.RefreshSessionRequest(refresh_token=guest.session.refresh_token)
            assert (await account.RefreshSession(request)).profile == guest.profile
        assert process.stop() == 0


async def test_replicas_that_start_at_once_on_an_empty_database_share_one_key(database_dsn):
    with account_process(database_dsn) as first, account_process(database_dsn) as second:
        listed = []
        for process in (first, second):
            async with patient_stub(AccountServiceStub, process.started()) as account:
                listed.append(await account.ListSigningKeys(pb.ListSigningKeysRequest()))
    assert listed[0] == listed[1]
    assert len(listed[0].keys) == 1


async def test_service_started_by_a_test_trusts_the_issuer(account_address, issuer):
    async with patient_stub(AccountServiceStub, account_address) as account:
        keys = (await account.ListSigningKeys(pb.ListSigningKeysRequest())).keys
    assert [key.key_id for key in keys] == [issuer.signer.key_id]


def refusal_of(process, status):
    """Waits for the end; returns the one line that the process said."""
    assert process.ended(START_TIMEOUT_S) == status
    (line,) = process.errors().splitlines()
    return line


@pytest.mark.parametrize(
    ("settings", "line"),
    [
        (
            {"service_key": "short"},
            "mahjong-account: ACCOUNT_SERVICE_KEY is wrong: Value should have at least 32 items",
        ),
        ({"port": "x", "log_level": "loud"}, "mahjong-account: ACCOUNT_PORT is wrong: Input should be a valid integer"),
        ({"signing_key": "no key"}, "mahjong-account: ACCOUNT_SIGNING_KEY is wrong: Value error"),
        ({"database_dsn": "mysql://a"}, "mahjong-account: ACCOUNT_DATABASE_DSN is wrong: Value error, only sqlite"),
    ],
)
def test_bad_setting_ends_the_process_with_one_line_that_names_it(sqlite_dsn, settings, line):
    with account_process(sqlite_dsn, **settings) as process:
        assert refusal_of(process, 2).startswith(line)


def test_key_of_another_kind_is_refused_and_not_shown(sqlite_dsn):
    key = generate_private_key(65537, 2048).private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()).decode()
    with account_process(sqlite_dsn, signing_key=key) as process:
        line = refusal_of(process, 2)
    assert line == "mahjong-account: ACCOUNT_SIGNING_KEY is wrong: Value error, not an Ed25519 private key"


def test_database_that_does_not_let_us_in_ends_the_process_with_one_line(tmp_path):
    (tmp_path / "text").write_text("no database " * 100)
    with account_process(f"sqlite:///{tmp_path}/text") as process:
        line = refusal_of(process, 2)
    assert line == "mahjong-account: cannot open the database: file is not a database; see the setting DATABASE_DSN"


def test_crash_leaves_a_traceback_in_the_log(tmp_path):
    with closing(sqlite3.connect(tmp_path / "odd.db")) as odd:
        odd.execute("CREATE TABLE account (something TEXT)")
    with account_process(f"sqlite:///{tmp_path}/odd.db") as process:
        assert "table account already exists" in process.wait_for("service.crashed")["exception"]
        assert process.ended() == 1


def test_missing_settings_are_all_named():
    with service_process("account") as process:
        line = refusal_of(process, 2)
    assert line == "mahjong-account: ACCOUNT_SERVICE_KEY is not set; ACCOUNT_DATABASE_DSN is not set"


@pytest.mark.parametrize("variable", ["port", "metrics_port"])
def test_taken_port_ends_the_process_with_one_line_that_names_the_setting(sqlite_dsn, variable):
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        with account_process(sqlite_dsn, **{variable: port}) as process:
            line = refusal_of(process, 3)
    name = f"ACCOUNT_{variable.upper()}"
    assert line == f"mahjong-account: cannot listen on 127.0.0.1:{port}; set {name} to a free port"


def test_two_services_never_share_a_port(sqlite_dsn):
    with account_process(sqlite_dsn) as first:
        port = first.started().rpartition(":")[2]
        with account_process(sqlite_dsn, port=port) as second:
            assert "set ACCOUNT_PORT to a free port" in refusal_of(second, 3)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_signal_stops_the_process_in_order(sqlite_dsn, number):
    with account_process(sqlite_dsn) as process:
        process.started()
        process.send(number)
        process.wait_for("service.draining")
        process.wait_for("service.stopped")
        assert process.ended() == 0
        assert process.errors() == ""


def test_signal_stops_a_process_that_still_waits_for_its_database(tmp_path):
    with account_process(f"postgresql://postgres@/postgres?host={tmp_path}") as process:
        process.wait_for("store.awaited")
        assert process.stop() == 0
        assert process.errors() == ""


def test_second_signal_stops_the_process_at_once(sqlite_dsn):
    with account_process(sqlite_dsn, probe_period_s=600) as process:
        process.started()
        process.send(signal.SIGTERM)
        process.wait_for("service.draining")
        assert process.stop() == 0


def test_metrics_are_served_over_http(sqlite_dsn, unused_port):
    with account_process(sqlite_dsn, metrics_port=unused_port) as process:
        process.started()
        with urllib.request.urlopen(f"http://127.0.0.1:{unused_port}/metrics", timeout=ANYTHING_S) as response:
            text = response.read().decode()
    for name in ("mahjong_account_loop_lag_seconds", "mahjong_account_guests_created_total", "process_open_fds"):
        assert f"\n{name} " in text


def test_shared_variable_counts_where_the_service_has_none_of_its_own(sqlite_dsn):
    environment = environment_of("account", database_dsn=sqlite_dsn)
    process = ServiceProcess("account", environment | {"MAHJONG_SERVICE_KEY": SERVICE_KEY, "MAHJONG_PORT": "1"})
    try:
        assert not process.started().endswith(":1")
        assert process.stop() == 0
    finally:
        process.close()
