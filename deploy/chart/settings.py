"""Holds settings in values to those that the services have: a variable that nobody reads says nothing."""

from collections.abc import Iterator
from typing import Final

from deploy.chart.rendering import Values
from mahjong_account.settings import AccountSettings
from mahjong_gateway.settings import GatewaySettings
from mahjong_kit.settings import ServiceSettings
from mahjong_matchmaker.settings import MatchmakerSettings
from mahjong_rating.settings import RatingSettings
from mahjong_replay.settings import ReplaySettings
from mahjong_table.settings import TableSettings

SETTINGS: Final[dict[str, type[ServiceSettings]]] = {
    settings.service: settings
    for settings in (
        AccountSettings,
        GatewaySettings,
        MatchmakerSettings,
        RatingSettings,
        ReplaySettings,
        TableSettings,
    )
}
"""The settings of each service, by its name."""


def unknown_settings(values: Values) -> Iterator[str]:
    """Gives a line for each setting in the values that its service, or any service, does not have."""
    shared = {field for settings in SETTINGS.values() for field in settings.model_fields}
    for name in values.get("settings", {}):
        if name.lower() not in shared:
            yield f"settings.{name}: no service has such a setting"
    for service, settings in SETTINGS.items():
        for name in values.get(service, {}).get("settings", {}):
            if name.lower() not in settings.model_fields:
                yield f"{service}.settings.{name}: the {service} service has no such setting"
