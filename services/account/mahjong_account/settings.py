"""What the account service is set up by."""

from typing import Annotated, ClassVar

from pydantic import AfterValidator, Field, SecretStr

from mahjong_account.openid_issuer import is_safe_url
from mahjong_account.signing import read_key
from mahjong_kit.settings import ServiceSettings
from mahjong_kit.sql import DatabaseDsn


def _checked_key(pem: SecretStr) -> SecretStr:
    read_key(pem.get_secret_value())
    return pem


def _checked_url(url: str) -> str:
    if url and not is_safe_url(url):
        raise ValueError("must be https, or http on this machine")
    return url


class AccountSettings(ServiceSettings):
    """Variables `ACCOUNT_…`."""

    service: ClassVar[str] = "account"

    port: int = Field(default=7001, ge=0, le=65535)
    metrics_port: int = Field(default=9001, ge=0, le=65535)
    database_dsn: DatabaseDsn
    signing_key: Annotated[SecretStr, AfterValidator(_checked_key)] | None = None
    """Ed25519 private key that signs access tokens (PEM, PKCS 8); if absent, one is made and kept in the database."""
    access_lifetime_s: int = Field(default=900, ge=1, le=86_400)
    """How long an access token lives."""
    refresh_lifetime_s: int = Field(default=90 * 86_400, ge=1)
    """How long a refresh token lives; a guest who stays away longer cannot come back."""
    refresh_grace_s: float = Field(default=10.0, ge=0, le=60)
    """How long a spent refresh token still gives the same session again, for answers that were lost."""
    prune_period_s: float = Field(default=3_600.0, gt=0)
    """Pause between two removals of what has expired."""
    openid_issuer: Annotated[str, AfterValidator(_checked_url)] = ""
    """Address of an outside OpenID issuer that players may sign in by; none if empty."""
    openid_name: str = Field(default="OpenID", min_length=1, max_length=64)
    """What the page calls it."""
    openid_client_id: str = ""
    """What we are called there."""
    openid_client_secret: SecretStr = SecretStr("")
    """Our secret there; a public client has none."""
    openid_scope: str = "openid profile"
    """What we ask it for."""
    openid_redirect_uris: tuple[Annotated[str, AfterValidator(_checked_url)], ...] = ()
    """Addresses of our pages that it may send browsers back to, as a JSON list."""
    replay_address: str = "127.0.0.1:7005"
    """Where the replay service answers; it is told which players were deleted."""
    rating_address: str = "127.0.0.1:7004"
    """Where the rating service answers; the same."""
    farewell_period_s: float = Field(default=15.0, gt=0)
    """Pause before a service that was away is told again."""
    key_rotation_s: int = Field(default=30 * 86_400, ge=0)
    """Age at which a signing key gets a follower; 0 leaves it to operators. A key of the settings is never rotated."""
    key_publish_s: int = Field(default=1_800, ge=0)
    """How long a new signing key is listed before it signs; longer than anybody caches the list."""
    key_check_period_s: float = Field(default=30.0, gt=0)
    """Pause between two looks for a newer signing key."""
    password_memory_kib: int = Field(default=64 << 10, ge=8 << 10, le=4 << 20)
    """Memory of one Argon2id hash. This and the next two: RFC 9106, section 4, second recommended option."""
    password_passes: int = Field(default=3, ge=1, le=100)
    """Passes over the memory."""
    password_lanes: int = Field(default=4, ge=1, le=64)
    """Lanes, each a thread while a hash is made."""
    password_concurrency: int = Field(default=2, ge=1, le=64)
    """Hashes made at the same time; 64 more wait, others are told to come back."""
