"""Accounts and sessions in the database."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass

from sqlmodel import col, delete, select, update
from sqlmodel.ext.asyncio.session import AsyncSession

from mahjong_account.models import Account, RefreshToken, Session
from mahjong_kit.sql import Database


@dataclass(frozen=True, slots=True)
class KnownToken:
    """What the database says of a refresh token, its session and its account."""

    session_id: str
    player_id: str
    display_name: str
    is_guest: bool
    expire_time_ms: int
    spent_time_ms: int | None
    salt: bytes | None
    is_session_ended: bool


class AccountStore:
    """Gives transactions, and answers what needs none."""

    def __init__(self, database: Database) -> None:
        self._database = database

    @asynccontextmanager
    async def changing(self) -> AsyncIterator["AccountChanges"]:
        """Gives what changes accounts and sessions, committed when the block ends unless it raises."""
        async with self._database.writing() as session:
            yield AccountChanges(session)

    async def find_account(self, player_id: str) -> Account | None:
        """Returns the account, or None."""
        async with self._database.reading() as session:
            return await session.get(Account, player_id)

    async def find_accounts(self, player_ids: Sequence[str]) -> Sequence[Account]:
        """Returns those of the accounts that exist, in any order."""
        async with self._database.reading() as session:
            return (await session.exec(select(Account).where(col(Account.player_id).in_(player_ids)))).all()

    async def prune(self, now_ms: int) -> int:
        """Removes the sessions that have expired; returns how many."""
        async with self._database.writing() as session:
            await session.exec(delete(RefreshToken).where(col(RefreshToken.expire_time_ms) <= now_ms))
            pruned = await session.exec(delete(Session).where(col(Session.expire_time_ms) <= now_ms))
            return pruned.rowcount


class AccountChanges:
    """One transaction."""

    def __init__(self, session: AsyncSession) -> None:
        self._session = session

    async def add_account(self, account: Account, session: Session, token: RefreshToken) -> None:
        """Adds an account with its first session."""
        for row in (account, session, token):
            self._session.add(row)
            await self._session.flush()

    async def rename(self, player_id: str, display_name: str) -> Account | None:
        """Returns the account under its new name, or None if there is no such account."""
        account = await self._session.get(Account, player_id)
        if account is not None:
            account.display_name = display_name
        return account

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
            player_id=account.player_id,
            display_name=account.display_name,
            is_guest=account.is_guest,
            expire_time_ms=token.expire_time_ms,
            spent_time_ms=token.spent_time_ms,
            salt=token.salt,
            is_session_ended=session.end_time_ms is not None,
        )

    async def spend_token(self, token_hash: bytes, salt: bytes, now_ms: int) -> bool:
        """Marks a refresh token as spent; of all that try, one succeeds."""
        spent = await self._session.exec(
            update(RefreshToken)
            .where(col(RefreshToken.token_hash) == token_hash, col(RefreshToken.spent_time_ms).is_(None))
            .values(spent_time_ms=now_ms, salt=salt)
        )
        return spent.rowcount == 1

    async def add_token(self, token: RefreshToken) -> None:
        """Adds a session's next refresh token; the session lives as long as it."""
        self._session.add(token)
        await self._session.exec(
            update(Session)
            .where(col(Session.session_id) == token.session_id)
            .values(expire_time_ms=token.expire_time_ms)
        )

    async def end_session(self, session_id: str, now_ms: int) -> bool:
        """Ends a session; returns whether it was open."""
        ended = await self._session.exec(
            update(Session)
            .where(col(Session.session_id) == session_id, col(Session.end_time_ms).is_(None))
            .values(end_time_ms=now_ms)
        )
        return ended.rowcount == 1
