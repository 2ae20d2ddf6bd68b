"""Settings of the replay service, from variables `REPLAY_…`."""

from collections.abc import Mapping
from typing import ClassVar

from pydantic import Field

from mahjong_kit.settings import ServiceSettings
from mahjong_kit.sql import DatabaseDsn


class ReplaySettings(ServiceSettings):
    """What the replay service is set up by."""

    service: ClassVar[str] = "replay"

    port: int = Field(default=7005, ge=0, le=65535)
    metrics_port: int = Field(default=9005, ge=0, le=65535)
    database_dsn: DatabaseDsn
    """The service's own database."""
    open_hands_max: int = Field(default=256, ge=1, le=100_000)
    """Hands that stay open for stepping, about 50 kB each."""
    keep_rated_days: int = Field(default=0, ge=0)
    """How long rated matches are kept after their end; 0 is for good."""
    keep_casual_days: int = Field(default=730, ge=0)
    """Likewise casual quick play."""
    keep_private_days: int = Field(default=730, ge=0)
    """Likewise private tables."""
    keep_practice_days: int = Field(default=90, ge=0)
    """Likewise practice."""
    prune_period_s: float = Field(default=3600.0, gt=0)
    """How often matches are looked for whose time is over."""
    verify_period_s: float = Field(default=30.0, gt=0)
    """How often the database is searched for matches to verify that another replica took and left."""

    @property
    def keep_days(self) -> Mapping[str, int]:
        """How long matches are kept, by kind of table."""
        return {
            "rated": self.keep_rated_days,
            "casual": self.keep_casual_days,
            "private": self.keep_private_days,
            "practice": self.keep_practice_days,
        }
