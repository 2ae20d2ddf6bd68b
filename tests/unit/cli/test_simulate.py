"""`mahjong simulate`: what it prints, what it writes, and that it notices what is wrong."""

import json
from hashlib import shake_256

import pytest
from typer.testing import CliRunner

from mahjong_cli import simulation
from mahjong_cli.__main__ import app
from mahjong_cli.simulation import server_seed


def simulate(*arguments):
    return CliRunner().invoke(app, ["simulate", *arguments])


@pytest.mark.parametrize("name", ["classical", "taiwanese"])
def test_simulate_prints_one_object_with_what_came_of_it(name):
    arguments = ["--matches", "3", "--seed", "7", "--length", "one_hand", "--players", "random,random,random,random"]
    result = simulate("--rule-set", name, *arguments)
    assert result.exit_code == 0
    (line,) = result.stdout.splitlines()
    summary = json.loads(line)
    assert (summary["rule_set"], summary["length"], summary["seed"]) == (name, "one_hand", 7)
    assert (summary["matches"], summary["hands"]) == (3, 3)
    assert sum(summary["wins"].values()) >= 3 - summary["draws"]
    assert sum(summary["mean_scores"]["seats"]) == pytest.approx(8_000, abs=0.1)
    assert list(summary["mean_scores"]["levels"]) == ["random"]
    assert summary["hands_per_second"] > 0


def test_equal_arguments_give_byte_identical_exports_that_verify(tmp_path):
    exports = [tmp_path / "one.jsonl", tmp_path / "two.jsonl"]
    arguments = ["--rule-set", "classical", "--matches", "2", "--seed", "-3", "--length", "one_hand", "--export"]
    for export in exports:
        assert simulate(*arguments, str(export)).exit_code == 0
    one, two = (export.read_bytes() for export in exports)
    assert one == two
    records = [json.loads(line) for line in one.splitlines()]
    assert [(record["match"], record["hand"]) for record in records] == [("simulated/-3/0", 0), ("simulated/-3/1", 0)]
    assert {record["match_length"] for record in records} == {"one_hand"}
    assert all(record["shuffle"] == 1 and record["result"]["match_over"] for record in records)
    assert CliRunner().invoke(app, ["verify", str(exports[0])]).exit_code == 0


def test_another_seed_gives_other_walls(tmp_path):
    walls = []
    for seed in ("1", "2"):
        export = tmp_path / f"{seed}.jsonl"
        arguments = f"--rule-set taiwanese --matches 1 --seed {seed} --length one_hand --export".split()
        simulate(*arguments, str(export))
        walls.append(json.loads(export.read_text())["wall"])
    assert walls[0] != walls[1]


def test_server_seeds_are_derived_as_documented():
    assert len(server_seed(1, 0)) == 80
    text = b"mahjong-planet/simulate/1" + b"12/3"
    assert server_seed(12, 3) == shake_256(text).digest(80)
    assert len({server_seed(1, 11), server_seed(11, 1), server_seed(1, 1), server_seed(-1, 1)}) == 4


@pytest.mark.parametrize(
    "arguments",
    [
        "--rule-set riichi --matches 1 --seed 1",
        "--rule-set classical --matches 0 --seed 1",
        "--rule-set classical --matches 1 --seed x",
        "--rule-set classical --matches 1",
        "--rule-set classical --matches 1 --seed 1 --length short",
        "--rule-set classical --matches 1 --seed 1 --players random",
        "--rule-set classical --matches 1 --seed 1 --players random,random,random,genius",
        "--rule-set classical --matches 1 --seed 1 --export /no/such/folder/file",
    ],
)
def test_wrong_arguments_are_usage_errors(arguments):
    result = simulate(*arguments.split())
    assert result.exit_code == 2
    assert result.stdout == ""


def test_a_broken_invariant_is_named_and_exits_with_1(monkeypatch):
    monkeypatch.setattr(simulation, "broken_invariants", lambda _: ("a tile is missing",))
    result = simulate(*["--rule-set", "classical", "--matches", "1", "--seed", "1", "--length", "one_hand"])
    assert result.exit_code == 1
    assert "match simulated/1/0, hand 0: a tile is missing" in result.stderr
    assert result.stdout == ""


def test_a_record_that_plays_to_another_end_is_named_and_exits_with_1(monkeypatch):
    written = simulation.hand_record
    monkeypatch.setattr(simulation, "hand_record", lambda *a, **k: written(*a, **k) | {"decisions": []})
    result = simulate(*["--rule-set", "classical", "--matches", "1", "--seed", "1", "--length", "one_hand"])
    assert result.exit_code == 1
    assert "decision 0 of its record" in result.stderr
