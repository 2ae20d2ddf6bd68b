"""Settings of a service: read once from the environment, typed, frozen, with no secret printable."""

from pathlib import Path
from typing import ClassVar, Literal, TypeVar

from pydantic import Field, SecretStr, ValidationError
from pydantic_core import ErrorDetails
from pydantic_settings import BaseSettings, EnvSettingsSource, PydanticBaseSettingsSource, SettingsConfigDict

SHARED_PREFIX = "MAHJONG_"
SERVICE_KEY_BYTES_MIN = 32


class StartError(Exception):
    """The process can't start; the text is one line that says what to change. Ends it with the exit status."""

    exit_status: ClassVar[int]


class SettingsError(StartError):
    """A setting is missing or wrong; the text names the variable and shows no value."""

    exit_status = 2


class StoreRefusedError(StartError):
    """A store is there and does not let us in; the text is one line and shows no secret."""

    exit_status = 2


class ServiceSettings(BaseSettings):
    """What every service is set up by; a service adds its own fields and its prefix.

    `TABLE_REDIS_URL` sets `redis_url` of the table service; `MAHJONG_REDIS_URL` sets it for every service that has the
    field and no variable of its own.
    """

    model_config = SettingsConfigDict(frozen=True, hide_input_in_errors=True)

    service: ClassVar[str]
    """Name of the service, as in its package name after `mahjong_`; the prefix is made from it."""

    host: str = "127.0.0.1"
    """Address to listen on, for gRPC and for metrics."""
    port: int = Field(ge=0, le=65535)
    """gRPC port; 0 takes a free one."""
    metrics_port: int = Field(ge=0, le=65535)
    """HTTP port of /metrics; 0 takes a free one."""
    log_level: Literal["debug", "info", "warning", "error"] = "info"
    service_key: SecretStr = Field(min_length=SERVICE_KEY_BYTES_MIN)
    """Signs the tokens of services and operators (HS256); the same for every service."""
    account_address: str = "127.0.0.1:7001"
    """Where the account service answers, for the keys that access tokens are signed by."""
    call_timeout_s: float = Field(default=10.0, gt=0)
    """Longest time for one unary call, whatever deadline the caller gave."""
    message_bytes_max: int = Field(default=1 << 20, ge=1 << 10)
    """Largest request message."""
    drain_grace_s: float = Field(default=10.0, ge=0)
    """Time for open calls after SIGTERM; less than the pod's grace period."""
    probe_period_s: float = Field(default=1.0, ge=0)
    """How long calls are still taken after health went NOT_SERVING, so that probes and routers see it first."""
    transport: Literal["grpc", "native"] = "grpc"
    """`grpc` is grpc.aio; `native` is pygrpc-native, if it is installed."""
    connection_age_max_s: float | None = Field(default=None, gt=0)
    """Connections older than this take no new calls, so that callers look their addresses up again; None keeps them."""
    otlp_endpoint: str | None = Field(default=None, pattern=r"^https?://[^/\s]+$")
    """Where traces go (OTLP over gRPC), such as `http://collector:4317`; None records none."""
    trace_share: float = Field(default=0.01, ge=0, le=1)
    """Share of all traces that is exported, beside the slow and the failed."""
    trace_slow_ms: float = Field(default=150.0, ge=0)
    """A unary call of this many ms is slow: its trace is exported."""
    health_port: int | None = Field(default=None, ge=0, le=65535)
    """Port where gRPC health alone answers, without TLS, for probes that know none; None opens no such port."""
    tls: Literal["off", "server", "mutual"] = "off"
    """What the gRPC port speaks: plain HTTP/2, TLS, or TLS with callers that the authority has signed."""
    tls_certificate_file: Path | None = None
    """Certificate of this service and what leads to its authority (PEM), for its port and for its calls."""
    tls_key_file: Path | None = None
    """Key of that certificate (PEM)."""
    tls_authority_file: Path | None = None
    """Certificates that other services' are signed by (PEM); if set, calls to them are made by TLS only."""

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """Takes arguments first, then the service's own variables, then the shared ones."""
        del env_settings, dotenv_settings, file_secret_settings
        prefixes = (f"{cls.service.upper()}_", SHARED_PREFIX)
        return init_settings, *(EnvSettingsSource(settings_cls, env_prefix=prefix) for prefix in prefixes)


SettingsT = TypeVar("SettingsT", bound=ServiceSettings)


def prefix_of(settings: type[ServiceSettings]) -> str:
    """Returns the prefix of the service's variables, such as `TABLE_`."""
    return f"{settings.service.upper()}_"


def load_settings(settings: type[SettingsT]) -> SettingsT:
    """Reads the settings from the environment.

    Raises:
        SettingsError: A variable is missing or wrong.
    """
    try:
        return settings()
    except ValidationError as error:
        prefix = prefix_of(settings)
        raise SettingsError("; ".join(_problem(prefix, each) for each in error.errors(include_input=False))) from None


def _problem(prefix: str, error: ErrorDetails) -> str:
    variable = prefix + "_".join(str(part) for part in error["loc"]).upper()
    return f"{variable} is not set" if error["type"] == "missing" else f"{variable} is wrong: {error['msg']}"


class PortTakenError(StartError):
    """Somebody else listens on a port."""

    exit_status = 3

    def __init__(self, settings: ServiceSettings, field: str) -> None:
        variable = f"{prefix_of(type(settings))}{field.upper()}"
        address = f"{settings.host}:{getattr(settings, field)}"
        super().__init__(f"cannot listen on {address}; set {variable} to a free port")
