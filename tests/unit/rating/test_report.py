"""What a report leads to."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from mahjong_rating.report import Outcome, Report, SeatScore

PEOPLE = tuple(SeatScore(f"player-{i}", None, 2000 - i) for i in range(4))
COMPUTERS = tuple(SeatScore(None, "basic", 5000 + i) for i in range(4))
REPORT = Report("match", "classical", "rated", PEOPLE, datetime(2026, 11, 30, tzinfo=UTC))


@pytest.mark.parametrize(
    ("people", "outcome"),
    [
        (0, Outcome.SKIPPED_TOO_FEW_PEOPLE),
        (1, Outcome.SKIPPED_TOO_FEW_PEOPLE),
        (2, Outcome.APPLIED),
        (3, Outcome.APPLIED),
        (4, Outcome.APPLIED),
    ],
)
def test_rated_table_is_applied_with_at_least_two_people(people, outcome):
    report = replace(REPORT, seats=PEOPLE[:people] + COMPUTERS[people:])
    assert report.outcome is outcome
    assert report.scores == {f"player-{i}": 2000 - i for i in range(people)}


@pytest.mark.parametrize("kind", ["casual", "practice", "private"])
def test_table_of_another_kind_is_never_rated(kind):
    assert replace(REPORT, table_kind=kind).outcome is Outcome.SKIPPED_NOT_RATED
