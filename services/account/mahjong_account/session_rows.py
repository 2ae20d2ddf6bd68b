"""Sessions and their refresh tokens, in one transaction."""

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import ColumnElement
from sqlmodel import col, delete, select, update
from sqlmodel.ext.asyncio.session import AsyncSession

from mahjong_account.models import Account, RefreshToken, Session
from mahjong_account.profile import Profile, profile_of


@dataclass(frozen=True, slots=True)
class KnownToken:
    """What the database says of a refresh token, its session and its account."""

    session_id: str
    profile: Profile
    expire_time_ms: int
    spent_time_ms: int | None
    salt: bytes | None
    is_session_ended: bool


class SessionRows:
    """Finds, adds and ends sessions."""

    def __init__(self, session: AsyncSession) -> None:
        self._session = session

    async def add(self, session: Session, token: RefreshToken) -> None:
        """Adds a session with its first token."""
        for row in (session, token):
            self._session.add(row)
            await self._session.flush()

    async def find_token(self, token_hash: bytes) -> KnownToken | None:
        """Returns what is known of a refresh token now, or None."""
        found = await self._session.exec(
            select(RefreshToken, Session, Account)
            .join(Session, col(Session.session_id) == col(RefreshToken.session_id))
            .join(Account, col(Account.player_id) == col(Session.player_id))
            .where(col(RefreshToken.token_hash) == token_hash)
            .execution_options(populate_existing=True)
        )
        row = found.one_or_none()
        if row is None:
            return None
        token, session, account = row
        return KnownToken(
            session_id=session.session_id,
            profile=profile_of(account),
            expire_time_ms=token.expire_time_ms,
            spent_time_ms=token.spent_time_ms,
            salt=token.salt,
            is_session_ended=session.end_time_ms is not None,
        )

    async def lock_token(self, token_hash: bytes) -> KnownToken | None:
        """Returns what is known of a refresh token; nothing else happens to its session until the transaction ends."""
        mine = select(RefreshToken.session_id).where(col(RefreshToken.token_hash) == token_hash)
        await self._lock(col(Session.session_id).in_(mine))
        return await self.find_token(token_hash)  # Another statement, which sees what was waited for.

    async def spend_token(self, token_hash: bytes, salt: bytes, now_ms: int) -> None:
        """Marks a refresh token as spent."""
        await self._session.exec(
            update(RefreshToken)
            .where(col(RefreshToken.token_hash) == token_hash)
            .values(spent_time_ms=now_ms, salt=salt)
        )

    async def add_token(self, token: RefreshToken, now_ms: int) -> None:
        """Adds a session's next refresh token; the session lives as long as it."""
        self._session.add(token)
        await self._session.exec(
            update(Session)
            .where(col(Session.session_id) == token.session_id)
            .values(expire_time_ms=token.expire_time_ms, refresh_time_ms=now_ms)
        )

    async def list_open(self, player_id: str, now_ms: int) -> Sequence[Session]:
        """Returns the open sessions of a player, the one used last first."""
        found = await self._session.exec(
            select(Session)
            .where(
                col(Session.player_id) == player_id,
                col(Session.end_time_ms).is_(None),
                col(Session.expire_time_ms) > now_ms,
            )
            .order_by(col(Session.refresh_time_ms).desc(), col(Session.session_id))
        )
        return found.all()

    async def find_owner(self, session_id: str) -> str | None:
        """Returns whose session it is or was, or None."""
        return (
            await self._session.exec(select(Session.player_id).where(col(Session.session_id) == session_id))
        ).one_or_none()

    async def find_device_name(self, session_id: str) -> str:
        """Returns what the player calls the device of a session; an empty text if there is no such session."""
        found = await self._session.exec(select(Session.device_name).where(col(Session.session_id) == session_id))
        return found.one_or_none() or ""

    async def end(self, session_id: str, now_ms: int) -> bool:
        """Ends a session; returns whether it was open."""
        ended = await self._session.exec(
            update(Session)
            .where(col(Session.session_id) == session_id, col(Session.end_time_ms).is_(None))
            .values(end_time_ms=now_ms)
        )
        return ended.rowcount == 1

    async def forget(self, player_id: str) -> None:
        """Removes all sessions of a player with their tokens."""
        await self._lock(col(Session.player_id) == player_id)
        mine = select(Session.session_id).where(col(Session.player_id) == player_id)
        await self._session.exec(delete(RefreshToken).where(col(RefreshToken.session_id).in_(mine)))
        await self._session.exec(delete(Session).where(col(Session.player_id) == player_id))

    async def end_all(self, player_id: str, now_ms: int) -> int:
        """Ends the sessions of a player; returns how many were open."""
        await self._lock(col(Session.player_id) == player_id)
        ended = await self._session.exec(
            update(Session)
            .where(
                col(Session.player_id) == player_id,
                col(Session.end_time_ms).is_(None),
                col(Session.expire_time_ms) > now_ms,
            )
            .values(end_time_ms=now_ms)
        )
        return ended.rowcount

    async def _lock(self, those: ColumnElement[bool]) -> None:
        """Locks sessions, always before their tokens and in one order, so that no two wait for each other."""
        await self._session.exec(
            select(Session.session_id).where(those).order_by(col(Session.session_id)).with_for_update()
        )
