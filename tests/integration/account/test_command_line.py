"""`mahjong account` and `mahjong admin account` before real processes."""

import json
import subprocess
import sys
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.kit.processes import clean_environment, service_process
from tests.kit.tokens import SERVICE_KEY

PASSWORD = "nine green bamboos"


@dataclass
class CommandLine:
    """Runs `mahjong` as a shell does."""

    account: str
    gateway: str
    directory: Path

    def player(self, *words, session="lin.json", password=PASSWORD, status=0):
        """Runs `mahjong account`; returns what it wrote: an object, or the words of a refusal."""
        options = ("--session", str(self.directory / session), "--address", self.gateway)
        return self._run(("account", *options, *words), {"MAHJONG_PASSWORD": password}, status)

    def operator(self, *words, status=0):
        """Runs `mahjong admin account`; the same, of its first line."""
        options = ("--key-file", str(self.directory / "service.key"), "account", "--address", self.account)
        return self._run(("admin", *options, *words), {}, status)

    def _run(self, words, variables, status):
        command = (sys.executable, "-m", "mahjong_cli", *words)
        ran = subprocess.run(
            command, env=clean_environment() | variables, capture_output=True, text=True, timeout=60, check=False
        )
        assert ran.returncode == status, ran.stderr
        assert "Traceback" not in ran.stderr
        return json.loads(ran.stdout.splitlines()[0]) if status == 0 else ran.stderr.strip()


@pytest.fixture
def mahjong(tmp_path, sqlite_dsn):
    (tmp_path / "service.key").write_text(SERVICE_KEY)
    cheap = {"password_memory_kib": 8 << 10, "password_passes": 1, "password_lanes": 1}
    with ExitStack() as stack:
        account = stack.enter_context(
            service_process("account", service_key=SERVICE_KEY, database_dsn=sqlite_dsn, **cheap)
        ).started()
        gateway = stack.enter_context(
            service_process("gateway", service_key=SERVICE_KEY, account_address=account, http_port=0)
        ).started()
        yield CommandLine(account, gateway, tmp_path)


def test_player_registers_signs_in_elsewhere_and_deletes_the_account(mahjong, tmp_path):
    made = mahjong.player("register", "lin", "--name", "Lin")
    assert (made["display_name"], made["is_guest"]) == ("Lin", False)
    assert (tmp_path / "lin.json").stat().st_mode & 0o777 == 0o600
    refusal = mahjong.player("register", "lin", "--name", "Mei", session="mei.json", status=1)
    assert refusal == "mahjong account: LOGIN_NAME_TAKEN"
    refusal = mahjong.player("register", "mei", "--name", "Mei", session="mei.json", password="password1", status=1)
    assert refusal == "mahjong account: PASSWORD_REFUSED problem=guessable"
    assert not (tmp_path / "mei.json").exists()

    assert mahjong.player("sign-in", "Lin", session="other.json") == made
    mahjong.player("sign-out", session="other.json")
    assert not (tmp_path / "other.json").exists()
    assert mahjong.player("show")["profile"] == made

    reset = mahjong.operator("reset-password", "lin")
    assert reset["player_id"] == made["player_id"]
    assert mahjong.player("show", status=1) == "mahjong account: REFRESH_TOKEN_INVALID"
    assert mahjong.player("sign-in", "lin", password=reset["password"]) == made
    assert mahjong.player("delete", status=1) == "mahjong account: PASSWORD_WRONG"
    mahjong.player("delete", password=reset["password"])
    assert mahjong.player("sign-in", "lin", status=1) == "mahjong account: SIGN_IN_REFUSED"


def test_operator_rotates_the_signing_key(mahjong):
    before = mahjong.operator("keys")
    assert before["state"] == "KEY_STATE_SIGNING"
    added = mahjong.operator("rotate-key")
    assert added["state"] == "KEY_STATE_PUBLISHED"
    assert mahjong.operator("keys") == added
    assert mahjong.operator("rotate-key", "--withdraw")["state"] == "KEY_STATE_SIGNING"
    assert "LOGIN_NAME_NOT_FOUND" in mahjong.operator("reset-password", "nobody", status=1)
