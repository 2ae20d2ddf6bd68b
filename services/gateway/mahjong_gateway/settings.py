"""What the gateway is set up by."""

from pathlib import Path
from typing import ClassVar

from pydantic import Field

from mahjong_kit.settings import ServiceSettings


class GatewaySettings(ServiceSettings):
    """Variables `GATEWAY_…`."""

    service: ClassVar[str] = "gateway"

    http_port: int = Field(default=8080, ge=0, le=65535)
    """Public port of the page, Connect and gRPC-Web; 0 takes a free one."""
    port: int = Field(default=8081, ge=0, le=65535)
    metrics_port: int = Field(default=10_081, ge=0, le=65535)
    matchmaker_address: str = "127.0.0.1:7002"
    """Where the matchmaker answers."""
    table_address: str = "127.0.0.1:7003"
    """Where table workers answer; of several, all (`ipv4:10.0.0.1:7003,10.0.0.2:7003`) or a name for them."""
    rating_address: str = "127.0.0.1:7004"
    """Where the rating service answers."""
    replay_address: str = "127.0.0.1:7005"
    """Where the replay service answers."""
    web_root: Path = Path("clients/web/dist")
    """Folder of the built web client."""
    cors_origins: tuple[str, ...] = ()
    """Origins of other hosts' pages that may call, as a JSON list; the gateway's own page needs none."""
    trusted_proxies: int = Field(default=0, ge=0, le=8)
    """How many proxies of ours stand in front and each add an entry to X-Forwarded-For."""
    computer_fill_s: float = Field(default=15.0, ge=0)
    """What GetServerInfo tells of the matchmaker's setting of the same name."""

    call_timeout_s: float = Field(default=15.0, gt=0)
    message_bytes_max: int = Field(default=64 << 10, ge=1 << 10)
    hold_s: float = Field(default=2.0, ge=0)
    """How long a call that may be repeated waits for a service that is restarting or moving."""
    stream_age_max_s: float = Field(default=3_600.0, gt=0)
    """Streams older than this end with DRAINING: clients resume, perhaps at another gateway."""
    view_bytes_max: int = Field(default=256 << 10, ge=1 << 10)
    """What waits for one client that watches a table, in bytes; more end its stream with a resync."""
    connections_max: int = Field(default=20_000, ge=1)
    """Most HTTP connections at a time."""
    body_timeout_s: float = Field(default=10.0, gt=0)
    """Time for a client to send its request."""
    stall_timeout_s: float = Field(default=30.0, gt=0)
    """Time for a client to read on before its connection is given up."""

    guest_burst: int = Field(default=60, ge=1)
    """New guests from one address at once."""
    guest_per_s: float = Field(default=0.5, gt=0)
    """New guests from one address a second in the long run."""
    registration_burst: int = Field(default=10, ge=1)
    """New accounts with a password from one address at once."""
    registration_per_s: float = Field(default=0.05, gt=0)
    """New accounts with a password from one address a second in the long run."""
    sign_in_burst: int = Field(default=30, ge=1)
    """Sign-ins from one address at once."""
    sign_in_per_s: float = Field(default=0.5, gt=0)
    """Sign-ins from one address a second in the long run."""
    public_burst: int = Field(default=200, ge=1)
    """Other calls without an account from one address at once."""
    public_per_s: float = Field(default=20.0, gt=0)
    """Other calls without an account from one address a second in the long run."""
    player_burst: int = Field(default=100, ge=1)
    """Calls of one account at once."""
    player_per_s: float = Field(default=20.0, gt=0)
    """Calls of one account a second in the long run."""
    refused_burst: int = Field(default=30, ge=1)
    """Bad tokens from one address at once."""
    refused_per_s: float = Field(default=1.0, gt=0)
    """Bad tokens from one address a second in the long run."""
    player_streams_max: int = Field(default=16, ge=1)
    """Open streams of one account."""
