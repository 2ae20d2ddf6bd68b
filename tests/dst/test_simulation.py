"""The deterministic simulation in the test suite: a few small seeds, and proof that it finds what it looks for."""

import os
import re
import subprocess
import sys

import pytest

from tests.dst import planted
from tests.dst.world import Scale, simulate

SMALL = Scale(hours=0.06, tables=8, waiting=2, mean_pause_s=6)


@pytest.mark.parametrize("seed", [1, 2, 3, 4])
def test_simulated_service_keeps_every_promise_whatever_goes_wrong(seed):
    report = simulate(seed, SMALL)
    assert report.violation is None
    assert report.checked["acknowledgements"] > 0
    assert sum(report.faults.values()) > 10


def test_simulated_run_is_the_same_whenever_its_seed_is_run_again():
    scale = Scale(hours=0.02, tables=5, waiting=5)
    first, second = simulate(7, scale), simulate(7, scale)
    assert (first.digest, first.faults, first.checked) == (second.digest, second.faults, second.checked)
    assert simulate(8, scale).digest != first.digest

    command = [sys.executable, "-m", "tests.dst", "--start=7", "--seeds=1", "--hours=0.02", "--tables=5", "--waiting=5"]
    told = subprocess.run(
        command, env=os.environ | {"PYTHONHASHSEED": "77"}, capture_output=True, text=True, check=True
    )
    assert re.search(r"digest (\w+)", told.stdout)[1] == f"{first.digest:08x}", "whatever the process and its hashes"


@pytest.mark.parametrize(
    ("plant", "invariant"),
    [
        (planted.without_fence, "only the owner writes"),
        (planted.acknowledging_before_commit, "nothing is shown before its commit"),
        (planted.forgetting_requests, "a retry gets the first answer"),
        (planted.without_credit, "outages are credited"),
        (planted.crediting_twice, "no more is credited than has passed"),
        (planted.reporting_backwards, "reports of a match come in their order"),
    ],
)
def test_planted_bug_is_found_within_a_few_seeds(plant, invariant):
    runs = (simulate(seed, SMALL, plant).violation for seed in range(1, 6))
    assert str(next(found for found in runs if found is not None)).startswith(invariant)
