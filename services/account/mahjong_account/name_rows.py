"""Who owns which display name, in one transaction."""

from collections.abc import Iterable
from hashlib import sha256

from sqlalchemy import ColumnElement
from sqlalchemy.exc import IntegrityError
from sqlmodel import col, delete, select
from sqlmodel.ext.asyncio.session import AsyncSession

from mahjong_account import errors
from mahjong_account.models import Account, NameClaim
from mahjong_account.skeletons import looks_of


class NameRows:
    """Claims, frees and finds names."""

    def __init__(self, session: AsyncSession) -> None:
        self._session = session

    async def claim(self, player_id: str, name: str) -> None:
        """Makes a registered account the only owner of a name, and frees the one it had.

        Raises:
            AlreadyExistsError: `DISPLAY_NAME_TAKEN`.
        """
        await self.free(player_id)
        await self.refuse_taken(player_id, name)
        for look_hash in sorted(_hashes(name)):
            self._session.add(NameClaim(look_hash=look_hash, player_id=player_id))
        try:
            await self._session.flush()
        except IntegrityError:
            raise errors.name_taken() from None

    async def free(self, player_id: str) -> None:
        """Lets others have the name of an account."""
        await self._session.exec(delete(NameClaim).where(col(NameClaim.player_id) == player_id))

    async def refuse_taken(self, player_id: str, name: str) -> None:
        """Lets a name pass that is nobody else's.

        Raises:
            AlreadyExistsError: `DISPLAY_NAME_TAKEN`.
        """
        owners = await self._session.exec(select(NameClaim.player_id).where(_is_claimed(_hashes(name))))
        if any(owner != player_id for owner in owners.all()):
            raise errors.name_taken()

    async def find_owner(self, name: str) -> Account | None:
        """Returns the registered account whose name looks like this one, or None."""
        found = await self._session.exec(
            select(Account)
            .join(NameClaim, col(NameClaim.player_id) == col(Account.player_id))
            .where(_is_claimed(_hashes(name)))
            .order_by(col(Account.create_time_ms))
            .limit(1)
        )
        return found.one_or_none()


def _is_claimed(hashes: Iterable[str]) -> ColumnElement[bool]:
    return col(NameClaim.look_hash).in_(hashes)


def _hashes(name: str) -> set[str]:
    return {sha256(look.encode()).hexdigest() for look in looks_of(name)}
