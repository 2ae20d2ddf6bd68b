"""Settings of the replay service, from variables `REPLAY_…`."""

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
    verify_period_s: float = Field(default=30.0, gt=0)
    """How often the database is searched for matches to verify that another replica took and left."""
