"""Friends, requests and blocks, in one transaction."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from sqlmodel import and_, col, delete, func, or_, select
from sqlmodel.ext.asyncio.session import AsyncSession

from mahjong_account import errors
from mahjong_account.models import Account, Relation
from mahjong_account.pages import Position


class Kind(StrEnum):
    """How one player stands to another."""

    FRIEND = "friend"
    SENT = "sent"
    """Has asked the other."""
    RECEIVED = "received"
    """Was asked by the other."""
    BLOCKED = "blocked"


@dataclass(frozen=True, slots=True)
class Listed:
    """One line of a player's list."""

    other: Account
    create_time_ms: int


class RelationRows:
    """Finds, adds and removes what stands between players."""

    def __init__(self, session: AsyncSession) -> None:
        self._session = session

    async def lock_both(self, player_id: str, other_id: str) -> tuple[Account, Account]:
        """Returns both accounts; nothing else between the two changes until the transaction ends.

        Raises:
            NotFoundError: `ACCOUNT_NOT_FOUND`.
        """
        both = select(Account).where(col(Account.player_id).in_((player_id, other_id)))
        in_order = both.order_by(col(Account.player_id)).with_for_update()  # So that no two wait for each other.
        found = {account.player_id: account for account in (await self._session.exec(in_order)).all()}
        for wanted in (player_id, other_id):
            if wanted not in found or found[wanted].delete_time_ms is not None:
                raise errors.account_not_found(wanted)
        return found[player_id], found[other_id]

    async def find(self, player_id: str, kind: Kind, other_id: str) -> Relation | None:
        """Returns how a player stands to another, or None if not so."""
        return await self._session.get(Relation, (player_id, kind.value, other_id))

    async def count(self, player_id: str, kind: Kind) -> int:
        """Returns how many others a player stands to in a way."""
        counted = select(func.count()).where(col(Relation.player_id) == player_id, col(Relation.kind) == kind.value)
        return (await self._session.exec(counted)).one()

    async def put(self, player_id: str, kind: Kind, other_id: str, now_ms: int) -> Relation:
        """Makes a player stand to another in a way."""
        row = Relation(player_id=player_id, kind=kind.value, other_id=other_id, create_time_ms=now_ms)
        self._session.add(row)
        await self._session.flush()
        return row

    async def drop(self, player_id: str, kinds: Sequence[Kind], other_id: str) -> None:
        """Ends how a player stands to another; nothing happens if it is not so."""
        await self._session.exec(
            delete(Relation).where(
                col(Relation.player_id) == player_id,
                col(Relation.kind).in_([kind.value for kind in kinds]),
                col(Relation.other_id) == other_id,
            )
        )

    async def forget(self, player_id: str) -> None:
        """Ends all that stands between a player and others."""
        mine, theirs = col(Relation.player_id) == player_id, col(Relation.other_id) == player_id
        await self._session.exec(delete(Relation).where(or_(mine, theirs)))

    async def page(self, player_id: str, kind: Kind, after: Position | None, size: int) -> Sequence[Listed]:
        """Returns a page of a player's list, newest first."""
        listed = (
            select(Account, Relation.create_time_ms)
            .join(Relation, col(Relation.other_id) == col(Account.player_id))
            .where(col(Relation.player_id) == player_id, col(Relation.kind) == kind.value)
            .order_by(col(Relation.create_time_ms).desc(), col(Relation.other_id).desc())
            .limit(size)
        )
        if after is not None:
            is_older = col(Relation.create_time_ms) < after.create_time_ms
            is_as_old = col(Relation.create_time_ms) == after.create_time_ms
            listed = listed.where(or_(is_older, and_(is_as_old, col(Relation.other_id) < after.other_id)))
        return [Listed(account, create_time_ms) for account, create_time_ms in (await self._session.exec(listed)).all()]

    async def blocked_pairs(self, player_ids: Sequence[str]) -> list[tuple[str, str]]:
        """Returns the pairs among players of whom one has blocked the other, each once and in order."""
        found = await self._session.exec(
            select(Relation.player_id, Relation.other_id).where(
                col(Relation.kind) == Kind.BLOCKED.value,
                col(Relation.player_id).in_(player_ids),
                col(Relation.other_id).in_(player_ids),
            )
        )
        return sorted({(min(pair), max(pair)) for pair in found.all()})
