"""Settings of the table service."""

from typing import Self

from pydantic import Field, model_validator

from mahjong_kit.redis import RedisUrl
from mahjong_kit.settings import ServiceSettings
from mahjong_kit.sql import DatabaseDsn


class TableSettings(ServiceSettings):
    """What the table service is set up by; docs/operations/table.md explains each."""

    service = "table"

    port: int = Field(default=7003, ge=0, le=65535)
    metrics_port: int = Field(default=9003, ge=0, le=65535)
    database_dsn: DatabaseDsn
    redis_url: RedisUrl = "redis://127.0.0.1:6379/0"
    replay_address: str = "127.0.0.1:7005"
    rating_address: str = "127.0.0.1:7004"
    matchmaker_address: str = "127.0.0.1:7002"
    """Is told who did not come to a table."""
    advertised_address: str = ""
    """Where the gateway reaches this worker; host and port if empty."""

    tables_max: int = Field(default=5_000, ge=1)
    """Live tables of this worker; more are refused with NO_TABLE_CAPACITY."""
    openings_per_s: float = Field(default=100.0, gt=0)
    """Tables opened in a second; more wait for up to a second and are then refused with NO_TABLE_CAPACITY."""
    mailbox_max: int = Field(default=16, ge=1)
    """Commands that wait at one table; more are refused with TABLE_BUSY."""
    stream_queue_max: int = Field(default=128, ge=8)
    """Messages that wait for one viewer; more end its stream with a resync."""
    shared_queue_max: int = Field(default=20_000, ge=8)
    """Messages that wait for all viewers of one gateway; whoever is sent more then has its stream end with a resync."""
    shared_pace_ms: float = Field(default=10.0, ge=0, le=100)
    """Pause after each message to a gateway, in which what there is for its viewers gathers."""
    recent_events_max: int = Field(default=64, ge=0)
    """Newest events of each viewer kept in memory for streams that resume; older ones come from Redis."""
    resume_events_max: int = Field(default=400, ge=0)
    """Newest events of each viewer kept in Redis."""
    heartbeat_s: float = Field(default=4.0, gt=0, le=4.5)
    """Longest silence on a stream; clients are promised 5 s."""

    commit_linger_ms: float = Field(default=2.0, ge=0, le=100)
    """How long a commit waits for more tables."""
    commit_tables_max: int = Field(default=64, ge=1)
    """Tables in one commit."""
    alive_period_s: float = Field(default=0.5, gt=0)
    """How often the worker notes that it lives; outages are counted from the last note."""
    lease_s: float = Field(default=4.0, gt=0)
    """Without such a note for longer, by the database's clock, others take the worker's shards."""
    lease_margin_s: float = Field(default=1.0, gt=0)
    """How long before that, by its own clock, the worker stops by itself."""
    peer_timeout_s: float = Field(default=2.0, gt=0)
    """Longest wait for another worker that is offered shards."""
    round_s: float = Field(default=0.5, gt=0)
    """How often the worker looks which shards it ought to have."""
    claims_max: int = Field(default=1_024, ge=1)
    """Shards that are claimed in one transaction."""
    releases_max: int = Field(default=16, ge=1)
    """Shards with tables that are handed over together: their tables pause at the same time."""
    hand_over_s: float = Field(default=25.0, gt=0)
    """Longest time for handing over all shards after SIGTERM; less than the pod's grace period."""
    projection_timeout_ms: float = Field(default=250.0, gt=0)
    """Longest wait for Redis; play never waits for it."""

    nonce_window_ms: int = Field(default=3_000, ge=0)
    """How long a new table takes nonces."""
    arrival_window_ms: int = Field(default=20_000, ge=0)
    """How long a table of quick play waits for its people before a computer stands in for whoever has not come; 0
    waits for ever."""
    result_window_ms: int = Field(default=10_000, ge=0)
    """How long a result waits for confirmations."""
    floor_min_ms: int = Field(default=350, ge=0)
    """Shortest pause after a discard, whoever could claim it."""
    floor_max_ms: int = Field(default=700, ge=0)
    """Longest pause of that kind; drawn anew for each discard."""
    echo_period_s: float = Field(default=60.0, gt=0)
    """How often a connection's round trip is measured, after the first three times."""
    latency_credit_max_ms: int = Field(default=250, ge=0, le=500)
    """The greatest latency credit of a connection, whatever its measured round trips are."""
    computer_min_ms: int = Field(default=700, ge=0)
    """Shortest thought of a computer in its turn."""
    computer_max_ms: int = Field(default=1_800, ge=0)
    """Longest thought of a computer in its turn."""
    report_retry_max_s: float = Field(default=30.0, gt=0)
    """Longest pause between two attempts to deliver a report."""
    report_keep_h: float = Field(default=24.0, gt=0)
    """How long delivered reports are kept."""
    ended_keep_days: float = Field(default=30.0, ge=0)
    """How long ended tables and their logs are kept once all reports are delivered; 0 is for good."""

    @model_validator(mode="after")
    def _check_ranges(self) -> Self:
        for low, high in (("floor_min_ms", "floor_max_ms"), ("computer_min_ms", "computer_max_ms")):
            if getattr(self, low) > getattr(self, high):
                raise ValueError(f"{low} is above {high}")
        if self.lease_margin_s + self.alive_period_s >= self.lease_s:
            raise ValueError("lease_s is not above lease_margin_s and alive_period_s together")
        return self
