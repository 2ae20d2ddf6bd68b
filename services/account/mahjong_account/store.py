"""Accounts, their names and their sessions in the database: whole transactions, and answers that need none."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass

from sqlmodel import col, delete, select

from mahjong_account.account_rows import AccountRows
from mahjong_account.farewell_rows import FarewellRows
from mahjong_account.models import Account, Attempt, Farewell, OpenIdSignIn, RefreshToken, Session
from mahjong_account.name_rows import NameRows
from mahjong_account.openid_rows import OpenIdRows
from mahjong_account.pages import Position
from mahjong_account.relation_rows import Kind, Listed, RelationRows
from mahjong_account.session_rows import SessionRows
from mahjong_kit.sql import Database


@dataclass(frozen=True, slots=True)
class Changes:
    """What one transaction may change."""

    accounts: AccountRows
    names: NameRows
    sessions: SessionRows
    relations: RelationRows
    farewells: FarewellRows
    openid: OpenIdRows


class AccountStore:
    """Gives transactions, and answers what needs none."""

    def __init__(self, database: Database) -> None:
        self._database = database

    @asynccontextmanager
    async def changing(self) -> AsyncIterator[Changes]:
        """Gives what changes accounts and sessions, committed when the block ends unless it raises."""
        async with self._database.writing() as session:
            yield Changes(
                AccountRows(session),
                NameRows(session),
                SessionRows(session),
                RelationRows(session),
                FarewellRows(session),
                OpenIdRows(session),
            )

    async def find_account(self, player_id: str) -> Account | None:
        """Returns the account, or None if there is none, or none any more."""
        async with self._database.reading() as session:
            return await AccountRows(session).find(player_id)

    async def find_by_login_name(self, login_name: str) -> Account | None:
        """Returns the account that signs in by a name, or None."""
        async with self._database.reading() as session:
            return await AccountRows(session).find_by_login_name(login_name)

    async def find_by_display_name(self, name: str) -> Account | None:
        """Returns the registered account whose name looks like this one, or None."""
        async with self._database.reading() as session:
            return await NameRows(session).find_owner(name)

    async def has_openid(self, player_id: str) -> bool:
        """Whether a player signs in by the outside issuer."""
        async with self._database.reading() as session:
            return await OpenIdRows(session).has_identity(player_id)

    async def find_accounts(self, player_ids: Sequence[str]) -> Sequence[Account]:
        """Returns those of the accounts that exist, in any order; deleted ones too."""
        async with self._database.reading() as session:
            return (await session.exec(select(Account).where(col(Account.player_id).in_(player_ids)))).all()

    async def list_sessions(self, player_id: str, now_ms: int) -> Sequence[Session]:
        """Returns the open sessions of a player, the one used last first."""
        async with self._database.reading() as session:
            return await SessionRows(session).list_open(player_id, now_ms)

    async def page_of_relations(
        self, player_id: str, kind: Kind, after: Position | None, size: int
    ) -> Sequence[Listed]:
        """Returns a page of one of a player's lists of others, newest first."""
        async with self._database.reading() as session:
            return await RelationRows(session).page(player_id, kind, after, size)

    async def blocked_pairs(self, player_ids: Sequence[str]) -> list[tuple[str, str]]:
        """Returns the pairs among players of whom one has blocked the other, each once and in order."""
        async with self._database.reading() as session:
            return await RelationRows(session).blocked_pairs(player_ids)

    async def list_farewells(self, service: str, most: int) -> Sequence[Farewell]:
        """Returns of whom a service has yet to be told that they are no more, the oldest first."""
        to_tell = select(Farewell).where(col(Farewell.service) == service)
        oldest_first = to_tell.order_by(col(Farewell.create_time_ms), col(Farewell.player_id)).limit(most)
        async with self._database.reading() as session:
            return (await session.exec(oldest_first)).all()

    async def remove_farewell(self, farewell: Farewell) -> None:
        """Notes that a service was told; a second call changes nothing."""
        mine = col(Farewell.player_id) == farewell.player_id, col(Farewell.service) == farewell.service
        async with self._database.writing() as session:
            await session.exec(delete(Farewell).where(*mine))

    async def prune(self, now_ms: int) -> int:
        """Removes expired sessions, full buckets and sign-ins that were not finished; returns how many sessions."""
        async with self._database.writing() as session:
            await session.exec(delete(RefreshToken).where(col(RefreshToken.expire_time_ms) <= now_ms))
            pruned = await session.exec(delete(Session).where(col(Session.expire_time_ms) <= now_ms))
            await session.exec(delete(OpenIdSignIn).where(col(OpenIdSignIn.expire_time_ms) <= now_ms))
            await session.exec(delete(Attempt).where(col(Attempt.full_time_ms) <= now_ms))
            return pruned.rowcount
