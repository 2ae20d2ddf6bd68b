"""What the matchmaker is set up by."""

from typing import Annotated, ClassVar

from pydantic import AfterValidator, Field

from mahjong_kit.redis import RedisUrl
from mahjong_kit.settings import ServiceSettings
from mahjong_matchmaker.pools import POOLS


def _checked_pool(name: str) -> str:
    if name not in {pool.name for pool in POOLS}:
        raise ValueError(f"no such pool: {name}")
    return name


class MatchmakerSettings(ServiceSettings):
    """Variables `MATCHMAKER_…`."""

    service: ClassVar[str] = "matchmaker"

    port: int = Field(default=7002, ge=0, le=65535)
    metrics_port: int = Field(default=9002, ge=0, le=65535)
    redis_url: RedisUrl
    """Where tickets and pools live: `redis://host:port/db` or `unix:///path`."""
    table_address: str = "127.0.0.1:7003"
    """Where the table service answers."""
    rating_address: str = "127.0.0.1:7004"
    """Where the rating service answers; without it everybody counts as a new player."""
    computer_fill_s: float = Field(default=15.0, ge=0)
    """How long the oldest ticket of a pool waits before computers take the empty seats."""
    pool_fill_s: dict[Annotated[str, AfterValidator(_checked_pool)], Annotated[float, Field(ge=0)]] = Field(
        default_factory=dict
    )
    """The same for single pools by name, such as `{"classical-blitz-rated": 30}`."""
    window_points: int = Field(default=20, ge=0)
    """How far from its own rating a new ticket looks for others."""
    widening_points_per_s: int = Field(default=40, ge=0)
    """How much farther with each second that it waits."""
    unwatched_s: float = Field(default=30.0, gt=0)
    """How long a ticket lives that nobody watches."""
    absent_s: float = Field(default=10.0, gt=0)
    """How long a ticket that nobody watches still gets a seat; its player has probably left the page."""
    room_gone_s: float = Field(default=60.0, gt=0)
    """How long somebody who does not watch an open room stays in it."""
    cool_down_first_s: float = Field(default=120.0, ge=0)
    """How long rated pools refuse a player after a first no-show in a day, doubled with each further one; 0: never."""
    cool_down_longest_s: float = Field(default=3600.0, ge=0)
    """The longest such time."""
    check_period_s: float = Field(default=1.0, gt=0)
    """Longest pause between two looks at a pool, and at watched tickets and rooms: finds what other replicas did."""
    update_period_s: float = Field(default=3.0, gt=0)
    """Longest pause between two messages of WatchTicket or WatchRoom."""
    cancel_wait_s: float = Field(default=3.0, ge=0)
    """How long CancelTicket waits for a table that is being made."""
    lease_s: float = Field(default=5.0, gt=0)
    """How long a replica that has died still leads its pools."""
