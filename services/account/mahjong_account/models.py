"""The tables of the account service. Times are milliseconds since the epoch."""

from sqlalchemy import BigInteger, MetaData
from sqlmodel import Field, SQLModel

METADATA = MetaData()


class _Table(SQLModel):
    metadata = METADATA


class Account(_Table, table=True):
    """A player."""

    player_id: str = Field(primary_key=True, max_length=36)
    display_name: str = Field(max_length=24)
    is_guest: bool
    create_time_ms: int = Field(sa_type=BigInteger)


class Session(_Table, table=True):
    """All refresh tokens that came from one sign-in; they end together."""

    session_id: str = Field(primary_key=True, max_length=36)
    player_id: str = Field(foreign_key="account.player_id", index=True, max_length=36)
    create_time_ms: int = Field(sa_type=BigInteger)
    end_time_ms: int | None = Field(default=None, sa_type=BigInteger)
    """When the player signed out, or a spent token came again."""
    expire_time_ms: int = Field(sa_type=BigInteger, index=True)
    """When its newest refresh token expires."""


class RefreshToken(_Table, table=True):
    """One refresh token, by its hash."""

    __tablename__ = "refresh_token"

    token_hash: bytes = Field(primary_key=True)
    session_id: str = Field(foreign_key="session.session_id", index=True, max_length=36)
    expire_time_ms: int = Field(sa_type=BigInteger, index=True)
    spent_time_ms: int | None = Field(default=None, sa_type=BigInteger)
    salt: bytes | None = None
    """What the next token is derived by, once this one is spent."""


class SigningKey(_Table, table=True):
    """A key that access tokens are or were signed by; the one of the highest generation signs."""

    __tablename__ = "signing_key"

    generation: int = Field(primary_key=True, sa_column_kwargs={"autoincrement": False})
    key_id: str = Field(max_length=43)
    jwk_json: str = Field(max_length=200)
    """The public key."""
    sealed_key: bytes | None = None
    """The private key, encrypted; None for a key that comes from the settings."""
    create_time_ms: int = Field(sa_type=BigInteger)
