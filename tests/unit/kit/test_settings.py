"""Settings from the environment."""

import pytest
from pydantic import ValidationError

from mahjong_kit.settings import ServiceSettings, SettingsError, load_settings

KEY = "k" * 32


class RatingSettings(ServiceSettings):
    """A service with a setting of its own."""

    service = "rating"

    port: int = 7004
    metrics_port: int = 9004
    redis_url: str


@pytest.fixture(autouse=True)
def environment(monkeypatch):
    for name in ("RATING_SERVICE_KEY", "RATING_REDIS_URL", "RATING_PORT", "MAHJONG_REDIS_URL", "MAHJONG_SERVICE_KEY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("RATING_SERVICE_KEY", KEY)
    return monkeypatch


def test_own_variable_counts_before_the_shared_one(environment):
    environment.setenv("MAHJONG_REDIS_URL", "redis://shared")
    assert load_settings(RatingSettings).redis_url == "redis://shared"
    environment.setenv("RATING_REDIS_URL", "redis://own")
    assert load_settings(RatingSettings).redis_url == "redis://own"


def test_all_problems_are_told_in_one_line(environment):
    environment.setenv("RATING_PORT", "many")
    with pytest.raises(SettingsError) as caught:
        load_settings(RatingSettings)
    assert str(caught.value) == (
        "RATING_PORT is wrong: Input should be a valid integer, unable to parse string as an integer; "
        "RATING_REDIS_URL is not set"
    )


def test_secret_is_not_printable(environment):
    environment.setenv("RATING_REDIS_URL", "redis://x")
    assert KEY not in repr(load_settings(RatingSettings))


def test_secret_that_is_too_short_is_not_told(environment):
    environment.setenv("RATING_REDIS_URL", "redis://x")
    environment.setenv("RATING_SERVICE_KEY", "opensesame")
    with pytest.raises(SettingsError) as caught:
        load_settings(RatingSettings)
    assert "opensesame" not in str(caught.value)


def test_settings_do_not_change(environment):
    environment.setenv("RATING_REDIS_URL", "redis://x")
    settings = load_settings(RatingSettings)
    with pytest.raises(ValidationError):
        settings.port = 1
