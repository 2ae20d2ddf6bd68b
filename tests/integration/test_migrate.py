"""Databases that are brought up to date before any service starts."""

import json
import subprocess
import sys

import pytest

from tests.kit.processes import clean_environment

TIMEOUT_S = 100


def migrate(*services: str, **variables: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "mahjong_kit.migrate", *services],
        env=clean_environment() | variables,
        capture_output=True,
        text=True,
        timeout=TIMEOUT_S,
        check=False,
    )


def test_migrating_twice_changes_the_database_once(database_dsn):
    for expected in (["migration.applied", "database.migrated"], ["database.migrated"]):
        done = migrate("account", ACCOUNT_DATABASE_DSN=database_dsn)
        assert done.returncode == 0, done.stderr
        assert [json.loads(line)["event"] for line in done.stdout.splitlines()] == expected


@pytest.mark.parametrize(
    ("service", "dsn", "problem"),
    [
        ("account", "", "ACCOUNT_DATABASE_DSN is not set"),
        ("account", "mysql://x", "ACCOUNT_DATABASE_DSN is wrong: only sqlite:///… and postgresql://… are known"),
        ("gateway", "sqlite://", "gateway is not a service with a database"),
    ],
)
def test_migrating_with_a_wrong_setting_ends_with_one_line(service, dsn, problem):
    done = migrate(service, **{f"{service.upper()}_DATABASE_DSN": dsn})
    assert (done.returncode, done.stderr) == (2, f"mahjong-migrate: {problem}\n")
