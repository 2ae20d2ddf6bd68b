"""The verifier in docs/fair-shuffle.md runs as it stands there, and agrees with the engine."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.kit.matches import play_match

PAGE = Path(__file__).parents[3] / "docs" / "fair-shuffle.md"
MATCH_ID = "6b4ad2a8-7c1c-4b8e-9d53-0f5b6f0d8a11"
OTHER_ID = "6b4ad2a8-7c1c-4b8e-9d53-0f5b6f0d8a12"


@pytest.fixture(scope="module")
def script(tmp_path_factory):
    (code,) = re.findall(r"^```python\n(.*?)^```$", PAGE.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)
    file = tmp_path_factory.mktemp("page") / "check_shuffle.py"
    file.write_text(code, encoding="utf-8")
    return file


@pytest.fixture
def check(script, tmp_path):
    def run(records, *arguments):
        hands = tmp_path / "hands.jsonl"
        hands.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
        # Isolated and without site packages: nothing of ours can be imported.
        command = [sys.executable, "-I", "-S", script, hands, *arguments]
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
        assert done.stderr == ""
        return done.returncode, done.stdout.splitlines()

    return run


@pytest.fixture(scope="module", params=["classical", "taiwanese"])
def match(request):
    return play_match(MATCH_ID, request.param)


def changed(records, number, **members):
    return [record | members if record["hand"] == number else record for record in records]


def test_verifier_has_forty_lines_of_the_standard_library(script):
    lines = [line for line in script.read_text(encoding="utf-8").splitlines() if line.strip()]
    assert len(lines) <= 40
    assert {line for line in lines if "import" in line} == {"import hashlib", "import json", "import sys"}


def test_verifier_accepts_a_match_of_the_engine(check, match):
    status, lines = check(match.records)
    assert status == 0
    assert lines == [f"hand {number} ok" for number in range(len(match.records))]


def test_verifier_accepts_the_commitment_and_the_nonce_that_a_player_saw(check, match):
    for seat, nonce in enumerate(match.derivation.nonces):
        status, _ = check(match.records, match.records[0]["commitment"], str(seat), nonce.hex())
        assert status == 0


@pytest.mark.parametrize("arguments", [("ab" * 32,), ("ab" * 32, "0", "00" * 32)])
def test_verifier_refuses_another_commitment_than_the_one_seen(check, match, arguments):
    status, lines = check(match.records, *arguments)
    assert status == 1
    assert set(lines) == {f"hand {n} the seed is not the one committed to" for n in range(len(match.records))}


def test_verifier_refuses_another_nonce_than_the_one_sent(check, match):
    status, lines = check(match.records[:1], match.records[0]["commitment"], "2", "00" * 32)
    assert (status, lines) == (1, ["hand 0 another nonce than yours"])


def test_verifier_refuses_walls_with_two_tiles_changed_over(check, match):
    wall = list(match.records[1]["wall"])
    other = next(place for place in range(1, 144) if wall[place] != wall[0])
    wall[0], wall[other] = wall[other], wall[0]
    status, lines = check(changed(match.records, 1, wall=wall))
    assert status == 1
    assert [line for line in lines if not line.endswith(" ok")] == ["hand 1 another wall"]


@pytest.mark.parametrize(
    ("members", "problem"),
    [
        ({"server_seed": "00" * 80}, "the seed is not the one committed to"),
        ({"match": OTHER_ID}, "the seed is not the one committed to"),
        ({"nonces": ["00" * 32] * 4}, "another wall"),
        ({"shuffle": 2}, "not shuffle 1"),
        ({"server_seed": "00" * 79}, "not shuffle 1"),
        ({"nonces": ["00" * 32] * 3}, "not shuffle 1"),
    ],
)
def test_verifier_refuses_a_record_with_another_derivation(check, match, members, problem):
    status, lines = check(changed(match.records[:2], 0, **members))
    assert (status, lines) == (1, [f"hand 0 {problem}", "hand 1 ok"])


def test_verifier_refuses_the_wall_of_another_hand(check, match):
    status, lines = check(changed(match.records[:2], 1, wall=match.records[0]["wall"]))
    assert (status, lines) == (1, ["hand 0 ok", "hand 1 another wall"])
