"""Sign-ins by an outside issuer and whose its subjects are, in one transaction."""

from hashlib import sha256

from sqlalchemy.exc import IntegrityError
from sqlmodel import col, delete, select
from sqlmodel.ext.asyncio.session import AsyncSession

from mahjong_account import errors
from mahjong_account.models import OpenIdIdentity, OpenIdSignIn


class OpenIdRows:
    """Keeps what was begun, and finds and adds identities."""

    def __init__(self, session: AsyncSession) -> None:
        self._session = session

    async def begin(self, begun: OpenIdSignIn) -> None:
        """Keeps a sign-in until it is finished."""
        self._session.add(begun)
        await self._session.flush()

    async def take(self, state: str, now_ms: int) -> OpenIdSignIn | None:
        """Returns the sign-in of a state and forgets it; None if there is none, or none any more."""
        mine = col(OpenIdSignIn.state_hash) == hash_of(state)
        begun = (await self._session.exec(select(OpenIdSignIn).where(mine).with_for_update())).one_or_none()
        taken = await self._session.exec(delete(OpenIdSignIn).where(mine))
        return begun if begun is not None and taken.rowcount == 1 and begun.expire_time_ms > now_ms else None

    async def find_owner(self, issuer: str, subject: str) -> str | None:
        """Returns the player whose a subject is, or None."""
        identity = await self._session.get(OpenIdIdentity, (issuer, subject))
        return None if identity is None else identity.player_id

    async def has_identity(self, player_id: str) -> bool:
        """Whether a player signs in by the issuer."""
        found = await self._session.exec(
            select(OpenIdIdentity.subject).where(col(OpenIdIdentity.player_id) == player_id)
        )
        return found.one_or_none() is not None

    async def add(self, identity: OpenIdIdentity) -> None:
        """Gives a subject to a player.

        Raises:
            AlreadyExistsError: `OPENID_ALREADY_LINKED`.
        """
        self._session.add(identity)
        try:
            await self._session.flush()
        except IntegrityError:
            raise errors.openid_already_linked() from None

    async def forget(self, player_id: str) -> None:
        """Takes a player's subject away."""
        await self._session.exec(delete(OpenIdIdentity).where(col(OpenIdIdentity.player_id) == player_id))


def hash_of(state: str) -> str:
    """Returns what the database keeps of a state."""
    return sha256(state.encode()).hexdigest()
