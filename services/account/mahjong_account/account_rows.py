"""Accounts in one transaction."""

from sqlalchemy.exc import IntegrityError
from sqlmodel import col, select
from sqlmodel.ext.asyncio.session import AsyncSession

from mahjong_account import errors
from mahjong_account.models import Account


class AccountRows:
    """Finds, adds and changes accounts."""

    def __init__(self, session: AsyncSession) -> None:
        self._session = session

    async def find(self, player_id: str) -> Account | None:
        """Returns the account, or None if there is none, or none any more."""
        account = await self._session.get(Account, player_id)
        return None if account is None or account.delete_time_ms is not None else account

    async def lock(self, player_id: str) -> Account:
        """Returns the account, which nobody else changes until the transaction ends.

        Raises:
            NotFoundError: `ACCOUNT_NOT_FOUND`: there is none, or none any more.
        """
        account = await self._session.get(Account, player_id, with_for_update=True)
        if account is None or account.delete_time_ms is not None:
            raise errors.account_not_found(player_id)
        return account

    async def find_by_login_name(self, login_name: str) -> Account | None:
        """Returns the account that signs in by a name, or None."""
        return (await self._session.exec(select(Account).where(col(Account.login_name) == login_name))).one_or_none()

    async def add(self, account: Account) -> None:
        """Adds an account.

        Raises:
            AlreadyExistsError: `LOGIN_NAME_TAKEN`.
        """
        self._session.add(account)
        await self._flush()

    async def register(self, account: Account, login_name: str, password_hash: str) -> None:
        """Gives an account what it signs in by.

        Raises:
            AlreadyExistsError: `LOGIN_NAME_TAKEN`.
        """
        account.login_name, account.password_hash, account.is_guest = login_name, password_hash, False
        await self._flush()

    async def _flush(self) -> None:
        try:
            await self._session.flush()
        except IntegrityError:
            raise errors.login_name_taken() from None  # The database's own words have the name in them.
