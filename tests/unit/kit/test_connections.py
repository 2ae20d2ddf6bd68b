"""Connections between services are secured wherever services speak TLS: no call site forgets the credentials."""

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
SOURCES = sorted([*(ROOT / "services").glob("*/mahjong_*/**/*.py"), *(ROOT / "libs" / "kit").glob("mahjong_kit/*.py")])
PLAIN = {"insecure_channel"}


def calls(path: Path) -> list[ast.Call]:
    return [node for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.Call)]


def name_of(call: ast.Call) -> str:
    return call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")


def test_sources_are_found_and_open_connections():
    opened = [name_of(call) for path in SOURCES for call in calls(path)]
    assert opened.count("open_stub") >= 5


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: "/".join(path.parts[-2:]))
def test_every_connection_is_opened_with_credentials(path):
    for call in calls(path):
        if name_of(call) == "open_stub":
            assert "credentials" in {keyword.arg for keyword in call.keywords}, f"{path.name}:{call.lineno}"
        if name_of(call) in PLAIN:
            assert path.name == "tls.py", f"{path.name}:{call.lineno}"
