"""`mahjong account` and `mahjong play` before a real gateway whose native port speaks TLS."""

import asyncio
import json
import sys
from contextlib import ExitStack

import pytest

from tests.kit.certificates import TestAuthority
from tests.kit.processes import clean_environment, service_process
from tests.kit.tokens import SERVICE_KEY

PASSWORD = "correct horse battery staple"


async def run(*words, **environment):
    """Runs a command of the command line; returns its exit status, output and complaints."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "mahjong_cli", *map(str, words)),
        env=clean_environment() | {"MAHJONG_PASSWORD": PASSWORD, **environment},
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    out, err = await process.communicate()
    return process.returncode, out.decode(), err.decode()


@pytest.fixture
async def authority(tmp_path):
    return TestAuthority(tmp_path)


@pytest.fixture
async def port(tmp_path, redis_url, authority):
    """The native port of a gateway that speaks TLS, before an account service and a matchmaker."""
    certificate, key = authority.write("gateway", "localhost")
    secured = {"tls": "server", "tls_certificate_file": certificate, "tls_key_file": key}
    with ExitStack() as stack:

        def start(name, **settings):
            process = stack.enter_context(service_process(name, service_key=SERVICE_KEY, **settings))
            return process.started()

        nobody = {f"{name}_address": "127.0.0.1:1" for name in ("table", "rating", "replay")}
        account = start("account", database_dsn=f"sqlite:///{tmp_path}/account.db", **nobody)
        others = nobody | {"account_address": account}
        matchmaker = start("matchmaker", redis_url=redis_url, **others)
        gateway = start("gateway", http_port=0, matchmaker_address=matchmaker, **others, **secured)
        yield gateway.rpartition(":")[2]


async def test_commands_reach_a_gateway_by_tls_and_trust_whom_they_are_told_to(tmp_path, authority, port):
    session, address = tmp_path / "session.json", f"https://localhost:{port}"
    account = "account", "--session", session, "--address", address
    trusting = *account, "--ca-file", authority.file

    status, out, err = await run(*trusting, "register", "lin.tls", "--name", "Lin")
    assert (status, json.loads(out)["display_name"], err) == (0, "Lin", "")
    status, out, _ = await run(*account, "show", SSL_CERT_FILE=str(authority.file))
    assert (status, json.loads(out)["login_name"]) == (0, "lin.tls"), "the system trusts the authority"

    status, out, err = await run(*account, "show")
    assert (status, out) == (1, ""), "nobody trusts the authority"
    assert "mahjong account: UNAVAILABLE" in err
    other = *account[:-1], f"https://127.0.0.1:{port}", "--ca-file", authority.file
    assert (await run(*other, "show"))[0] == 1, "the certificate is of another host"
    assert (await run(*account[:-1], f"localhost:{port}", "show"))[0] == 1, "it does not speak in clear"
    assert session.exists(), "who is not reached does not lose the session"

    play = "play", "--auto", "basic", "--session", session, "--address", address, "--ca-file", authority.file
    status, _, err = await run(*play, "--join", "NOSUCH")
    assert (status, "ERROR_REASON_INVITE_NOT_FOUND" in err) == (1, True)
