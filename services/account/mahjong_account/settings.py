"""What the account service is set up by."""

from typing import Annotated, ClassVar

from pydantic import AfterValidator, Field, SecretStr

from mahjong_account.signing import read_key
from mahjong_kit.settings import ServiceSettings
from mahjong_kit.sql import DatabaseDsn


def _checked_key(pem: SecretStr) -> SecretStr:
    read_key(pem.get_secret_value())
    return pem


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
