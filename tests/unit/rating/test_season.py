"""Seasons are quarters by UTC, and every time lies in exactly one."""

from datetime import UTC, datetime, timedelta, timezone

from hypothesis import given
from hypothesis import strategies as st

from mahjong_rating.season import Season, season_of


def test_season_has_its_number_name_and_bounds():
    season = season_of(datetime(2026, 11, 30, tzinfo=UTC))
    assert (season.number, season.name) == (4, "2026 Q4")
    assert (season.start_time, season.end_time) == (datetime(2026, 10, 1, tzinfo=UTC), datetime(2027, 1, 1, tzinfo=UTC))
    assert season_of(season.end_time) == Season(5)
    assert season_of(season.end_time - timedelta(microseconds=1)) == season


def test_season_is_that_of_utc_wherever_the_clock_hangs():
    east = timezone(timedelta(hours=9))
    assert season_of(datetime(2027, 1, 1, 8, 59, tzinfo=east)) == Season(4)
    assert season_of(datetime(2027, 1, 1, 9, 0, tzinfo=east)) == Season(5)


def test_time_before_the_first_season_counts_for_it():
    assert season_of(datetime(1999, 7, 1, tzinfo=UTC)) == Season(1)


@given(st.datetimes(min_value=datetime(2026, 1, 1), max_value=datetime(2100, 1, 1), timezones=st.just(UTC)))  # noqa: DTZ001
def test_every_time_lies_within_its_season(time):
    season = season_of(time)
    assert season.start_time <= time < season.end_time
