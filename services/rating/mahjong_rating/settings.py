"""Settings of the rating service, from variables `RATING_…`."""

from typing import ClassVar

from pydantic import Field

from mahjong_kit.settings import ServiceSettings
from mahjong_kit.sql import DatabaseDsn


class RatingSettings(ServiceSettings):
    """What the rating service is set up by."""

    service: ClassVar[str] = "rating"

    port: int = Field(default=7004, ge=0, le=65535)
    metrics_port: int = Field(default=9004, ge=0, le=65535)
    database_dsn: DatabaseDsn
    """The service's own database."""
    keep_skipped_days: int = Field(default=90, ge=0)
    """How long reports of matches that changed no rating are kept after their end; 0 is for good."""
    prune_period_s: float = Field(default=3600.0, gt=0)
    """How often reports are looked for whose time is over."""
    recheck_period_s: float = Field(default=1.0, gt=0, le=10)
    """How often a wait looks into the database, for reports that another replica took."""
