"""Tables of the database. Times in ms since 1970 (UTC)."""

from typing import Any, ClassVar

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    SmallInteger,
    Text,
    UniqueConstraint,
    false,
    text,
)
from sqlalchemy.orm import registry
from sqlmodel import Field, SQLModel

ID = 36
"""Length of a UUID."""


class Model(SQLModel, registry=registry()):
    """Base of the tables; services may share a process, so each keeps its own metadata."""

    metadata: ClassVar[MetaData] = MetaData()


def _big() -> Any:
    return Field(sa_column=Column(BigInteger, nullable=False))


def _small(*, key: bool = False) -> Any:
    return Field(sa_column=Column(SmallInteger, primary_key=key, autoincrement=False, nullable=False))


def _only(condition: str) -> Any:
    return {"sqlite_where": text(condition), "postgresql_where": text(condition)}


class ShardRow(Model, table=True):
    """Who may write the tables of a shard. The epoch only grows; each commit is checked against it."""

    __tablename__ = "shard"

    shard: int = _small(key=True)
    epoch: int = _big()
    worker_id: str | None = Field(default=None, max_length=ID)
    """The owner; none if it was released."""
    stopped_at: int | None = Field(default=None, sa_column=Column(BigInteger))
    """When its tables stopped, by the clock of the worker that had them; none while they run."""
    stopped_epoch: int | None = Field(default=None, sa_column=Column(BigInteger))
    """Epoch of that worker: what has a later one was written after that, by another clock."""


class WorkerRow(Model, table=True):
    """A worker process and its last heartbeat."""

    __tablename__ = "worker"

    worker_id: str = Field(primary_key=True, max_length=ID)
    address: str
    seen_at: int = _big()
    """When the heartbeat came, by the clock of the database: leases are judged by it."""
    noted_at: int = Field(sa_column=Column(BigInteger, nullable=False, server_default="0"))
    """When it was sent, by the clock of the worker: an outage is counted from then."""
    draining: bool = Field(sa_column=Column(Boolean, nullable=False, server_default=false()))
    """Whether it gives its shards away."""


class TableRow(Model, table=True):
    """A table: what it was opened with, and where loading starts."""

    __tablename__ = "game_table"
    __table_args__ = (
        Index("ix_game_table_live", "shard", **_only("ended_at IS NULL")),
        Index("ix_game_table_ended", "ended_at", **_only("ended_at IS NOT NULL")),
    )

    table_id: str = Field(primary_key=True, max_length=ID)
    match_id: str = Field(unique=True, max_length=ID)
    shard: int = _small()
    terms: str = Field(sa_column=Column(Text, nullable=False))
    """JSON; equal terms have equal text."""
    server_seed: bytes = Field(sa_column=Column(LargeBinary, nullable=False))
    opened_at: int = _big()
    nonce_window_ms: int
    result_window_ms: int
    load_sequence: int = 0
    """Sequence of the entry that started the present hand: loading reads from there on."""
    ended_at: int | None = Field(default=None, sa_column=Column(BigInteger))


class SeatedRow(Model, table=True):
    """The one live table of a player; gone when its match is over."""

    __tablename__ = "seated"

    player_id: str = Field(primary_key=True, max_length=ID)
    table_id: str = Field(index=True, max_length=ID)
    match_id: str = Field(max_length=ID)
    came_at: int | None = Field(default=None, sa_column=Column(BigInteger))
    """When the player first came to the table, by its worker's clock; 0 if not yet, none if nobody takes note of it."""


class EntryRow(Model, table=True):
    """One entry of a table's log, never changed."""

    __tablename__ = "decision"
    __table_args__ = (UniqueConstraint("table_id", "request_id", name="uq_decision_request"),)

    table_id: str = Field(primary_key=True, max_length=ID)
    sequence: int = Field(primary_key=True, sa_column_kwargs={"autoincrement": False})
    shard: int = _small()
    epoch: int = _big()
    """Epoch of the shard under which it was written."""
    at: int = _big()
    kind: str = Field(max_length=16)
    request_id: str | None = Field(default=None, max_length=ID)
    player_id: str | None = Field(default=None, max_length=ID)
    """Whose request it was; none for computers and the server."""
    payload: str = Field(sa_column=Column(Text, nullable=False))


class FinalViewRow(Model, table=True):
    """What a late viewer of an ended table is sent."""

    __tablename__ = "final_view"

    table_id: str = Field(primary_key=True, max_length=ID)
    seat: int = _small(key=True)
    player_id: str = Field(max_length=ID)
    sequence: int
    snapshot: bytes = Field(sa_column=Column(LargeBinary, nullable=False))


class OutboxRow(Model, table=True):
    """A report that another service is still to get, written with the entry that it follows from."""

    __tablename__ = "outbox"
    __table_args__ = (
        Index("ix_outbox_waiting", "report_id", **_only("delivered_at IS NULL")),
        {"sqlite_autoincrement": True},
    )

    report_id: int | None = Field(
        default=None, sa_column=Column(BigInteger().with_variant(Integer, "sqlite"), primary_key=True)
    )
    match_id: str = Field(max_length=ID)
    shard: int = Field(sa_column=Column(SmallInteger, nullable=False, server_default="0"))
    """The table's shard: whoever owns it delivers the report."""
    kind: str = Field(max_length=16)
    body: bytes = Field(sa_column=Column(LargeBinary, nullable=False))
    created_at: int = _big()
    delivered_at: int | None = Field(default=None, sa_column=Column(BigInteger))
