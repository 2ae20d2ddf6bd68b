"""The figures that the report of faults is made of."""

import pytest

from loadtests.faults.pauses import Progress, percentile


@pytest.fixture
def progress(monkeypatch):
    times = iter([1.0, 2.0, 7.0, 8.0])
    monkeypatch.setattr("loadtests.faults.pauses.time.monotonic", lambda: next(times))
    noted = Progress()
    for _ in range(4):
        noted.note("t")
    return noted


@pytest.mark.parametrize(
    ("from_s", "to_s", "longest_s"),
    [(0.0, 9.0, 5.0), (3.0, 4.0, 5.0), (0.0, 1.5, 1.0), (7.5, 9.0, 1.0), (8.5, 9.0, 0.0)],
)
def test_a_pause_counts_if_any_part_of_it_lies_in_the_time(progress, from_s, to_s, longest_s):
    assert progress.longest_s("t", from_s, to_s) == longest_s


def test_a_percentile_is_the_smallest_value_that_the_share_does_not_exceed():
    values = [float(n) for n in range(1, 101)]
    assert [percentile(values, share) for share in (0.5, 0.99, 1.0)] == [50.0, 99.0, 100.0]
    assert percentile([3.0], 0.5) == 3.0
    assert percentile([], 0.5) == 0.0
