"""The deterministic simulation in the test suite: one small seed; `make dst` runs many larger ones."""

from tests.dst.world import Scale, simulate

SMALL = Scale(hours=0.06, tables=8, mean_pause_s=6)


def test_simulated_service_keeps_every_promise_whatever_goes_wrong():
    report = simulate(1, SMALL)
    assert report.violation is None
    assert report.checked["acknowledgements"] > 0
    assert sum(report.faults.values()) > 10
