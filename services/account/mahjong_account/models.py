"""The tables of the account service. Times are milliseconds since the epoch."""

from typing import ClassVar

from sqlalchemy import BigInteger, Index, MetaData
from sqlmodel import Field, SQLModel

METADATA = MetaData()


class _Table(SQLModel):
    metadata = METADATA


class Account(_Table, table=True):
    """A player."""

    player_id: str = Field(primary_key=True, max_length=36)
    display_name: str = Field(max_length=32)
    is_guest: bool
    create_time_ms: int = Field(sa_type=BigInteger)
    login_name: str | None = Field(default=None, max_length=32, unique=True, index=True)
    """None for guests, and for accounts that only an outside issuer signs in."""
    password_hash: str | None = Field(default=None, max_length=255)
    delete_time_ms: int | None = Field(default=None, sa_type=BigInteger)
    """When the account was deleted; all that is left of it is this row."""


class NameClaim(_Table, table=True):
    """A look that the display name of a registered account has; no other may have it."""

    __tablename__ = "name_claim"

    look_hash: str = Field(primary_key=True, max_length=64)
    player_id: str = Field(foreign_key="account.player_id", index=True, max_length=36)


class Session(_Table, table=True):
    """All refresh tokens that came from one sign-in; they end together."""

    session_id: str = Field(primary_key=True, max_length=36)
    player_id: str = Field(foreign_key="account.player_id", index=True, max_length=36)
    create_time_ms: int = Field(sa_type=BigInteger)
    end_time_ms: int | None = Field(default=None, sa_type=BigInteger)
    """When the player signed out, or a spent token came again."""
    expire_time_ms: int = Field(sa_type=BigInteger, index=True)
    """When its newest refresh token expires."""
    device_name: str = Field(default="", max_length=64)
    refresh_time_ms: int = Field(sa_type=BigInteger)
    """When it was refreshed last, or began."""


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
    """A key that access tokens are or were signed by; of those that may, the one of the highest generation signs."""

    __tablename__ = "signing_key"

    generation: int = Field(primary_key=True, sa_column_kwargs={"autoincrement": False})
    key_id: str = Field(max_length=43)
    jwk_json: str = Field(max_length=200)
    """The public key."""
    sealed_key: bytes | None = None
    """The private key, encrypted; None for a key that comes from the settings."""
    create_time_ms: int = Field(sa_type=BigInteger)
    activate_time_ms: int = Field(sa_type=BigInteger)
    """From when on it signs."""
    withdraw_time_ms: int | None = Field(default=None, sa_type=BigInteger)
    """When an operator took it out of use at once."""


class Attempt(_Table, table=True):
    """A bucket of attempts at something, by the hash of whose it is."""

    key_hash: str = Field(primary_key=True, max_length=64)
    full_time_ms: int = Field(sa_type=BigInteger, index=True)
    """When the bucket is full again; the row may go then."""


class Relation(_Table, table=True):
    """How one player stands to another, from the first one's side; what concerns both has a row for each."""

    __table_args__: ClassVar = (Index("ix_relation_list", "player_id", "kind", "create_time_ms", "other_id"),)

    player_id: str = Field(primary_key=True, foreign_key="account.player_id", max_length=36)
    kind: str = Field(primary_key=True, max_length=8)
    """`friend`, `sent` or `received` (a request), `blocked`."""
    other_id: str = Field(primary_key=True, foreign_key="account.player_id", index=True, max_length=36)
    create_time_ms: int = Field(sa_type=BigInteger)


class Farewell(_Table, table=True):
    """A service that has yet to be told that a player is no more."""

    player_id: str = Field(primary_key=True, foreign_key="account.player_id", max_length=36)
    service: str = Field(primary_key=True, max_length=16)
    create_time_ms: int = Field(sa_type=BigInteger, index=True)


class OpenIdSignIn(_Table, table=True):
    """A sign-in by the outside issuer that was begun, by the hash of its state."""

    __tablename__ = "openid_sign_in"

    state_hash: str = Field(primary_key=True, max_length=64)
    nonce: str = Field(max_length=43)
    redirect_uri: str = Field(max_length=512)
    code_challenge: str = Field(max_length=43)
    expire_time_ms: int = Field(sa_type=BigInteger, index=True)


class OpenIdIdentity(_Table, table=True):
    """A subject of an outside issuer, and whose it is."""

    __tablename__ = "openid_identity"

    issuer: str = Field(primary_key=True, max_length=255)
    subject: str = Field(primary_key=True, max_length=255)
    player_id: str = Field(foreign_key="account.player_id", unique=True, index=True, max_length=36)
    create_time_ms: int = Field(sa_type=BigInteger)
