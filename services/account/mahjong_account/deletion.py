"""Deletion of accounts: what is left is a row that says that there was one."""

from collections.abc import Callable

from mahjong_account import errors
from mahjong_account.credentials import Credentials
from mahjong_account.farewells import Farewells
from mahjong_account.metrics import AccountMetrics
from mahjong_account.profile import DELETED_NAME
from mahjong_account.store import AccountStore


class Deletion:
    """Deletes accounts in one transaction, with a note to every service that keeps something of the player."""

    def __init__(
        self,
        store: AccountStore,
        credentials: Credentials,
        farewells: Farewells,
        metrics: AccountMetrics,
        clock_ms: Callable[[], int],
    ) -> None:
        self._store = store
        self._credentials = credentials
        self._farewells = farewells
        self._metrics = metrics
        self._clock_ms = clock_ms

    async def delete(self, player_id: str, password: str) -> None:
        """Deletes an account for good.

        Args:
            player_id: whose.
            password: the account's, if it has one.

        Raises:
            ForbiddenError: `PASSWORD_WRONG`.
            NotFoundError: `ACCOUNT_NOT_FOUND`.
            ThrottledError: `RATE_LIMITED`.
        """
        present = await self._credentials.confirm_owner(player_id, password)
        async with self._store.changing() as changes:
            account = await changes.accounts.lock(player_id)
            if account.password_hash != present.password_hash:  # It was changed meanwhile.
                raise errors.password_wrong()
            account.display_name, account.is_guest = DELETED_NAME, False
            account.login_name = account.password_hash = None
            account.delete_time_ms = self._clock_ms()
            await changes.names.free(player_id)
            await changes.sessions.forget(player_id)
            await changes.relations.forget(player_id)
            await changes.openid.forget(player_id)
            await changes.farewells.add(player_id, self._clock_ms())
        self._metrics.deletions.inc()
        self._farewells.hurry()
