"""Guests, profiles and display names."""

import uuid
from collections.abc import Callable, Sequence

from mahjong_account import errors
from mahjong_account.attempts import RENAMES, Attempts
from mahjong_account.metrics import AccountMetrics
from mahjong_account.models import Account
from mahjong_account.names import checked_name, chosen_name
from mahjong_account.profile import Profile, SignedIn, profile_of
from mahjong_account.sessions import Sessions
from mahjong_account.store import AccountStore
from mahjong_kit.fields import is_uuid


class AccountService:
    """What players do with accounts that needs no password."""

    def __init__(
        self,
        store: AccountStore,
        sessions: Sessions,
        attempts: Attempts,
        metrics: AccountMetrics,
        clock_ms: Callable[[], int],
    ) -> None:
        self._store = store
        self._attempts = attempts
        self._sessions = sessions
        self._metrics = metrics
        self._clock_ms = clock_ms

    async def create_guest(self, display_name: str, device_name: str) -> SignedIn:
        """Makes a guest and signs it in; the name is chosen if it is blank.

        Raises:
            InvalidRequestError: `DISPLAY_NAME_REFUSED`.
            AlreadyExistsError: `DISPLAY_NAME_TAKEN`.
        """
        is_chosen = not display_name.strip()
        account = Account(
            player_id=str(uuid.uuid4()),
            display_name=chosen_name() if is_chosen else checked_name(display_name),
            is_guest=True,
            create_time_ms=self._clock_ms(),
        )
        async with self._store.changing() as changes:
            if not is_chosen:
                await changes.names.refuse_taken(account.player_id, account.display_name)
            await changes.accounts.add(account)
            signed_in = await self._sessions.begin(changes, account, device_name)
        self._metrics.guests_created.inc()
        return signed_in

    async def account(self, player_id: str) -> Account:
        """Returns the account.

        Raises:
            NotFoundError: `ACCOUNT_NOT_FOUND`.
        """
        account = await self._store.find_account(player_id)
        if account is None:
            raise errors.account_not_found(player_id)
        return account

    async def has_openid(self, player_id: str) -> bool:
        """Whether a player signs in by the outside issuer."""
        return await self._store.has_openid(player_id)

    async def rename(self, player_id: str, display_name: str) -> Profile:
        """Changes the display name; access tokens carry it from the next refresh on.

        Raises:
            InvalidRequestError: `DISPLAY_NAME_REFUSED`.
            AlreadyExistsError: `DISPLAY_NAME_TAKEN`.
            NotFoundError: `ACCOUNT_NOT_FOUND`.
            ThrottledError: `RATE_LIMITED`.
        """
        name = checked_name(display_name)
        await self._attempts.take((RENAMES, player_id))
        async with self._store.changing() as changes:
            account = await changes.accounts.lock(player_id)
            if account.is_guest:
                await changes.names.refuse_taken(player_id, name)
            else:
                await changes.names.claim(player_id, name)
            account.display_name = name
        return profile_of(account)

    async def profiles(self, player_ids: Sequence[str]) -> list[Profile]:
        """Returns the profiles of those who exist or existed, in the order asked, each once."""
        asked = list(dict.fromkeys(filter(is_uuid, player_ids)))
        found = {account.player_id: profile_of(account) for account in await self._store.find_accounts(asked)}
        return [found[player_id] for player_id in asked if player_id in found]

    async def find_player(self, display_name: str) -> Profile:
        """Returns the registered player of a display name.

        Raises:
            InvalidRequestError: `DISPLAY_NAME_REFUSED`.
            NotFoundError: `PLAYER_NOT_FOUND`.
        """
        account = await self._store.find_by_display_name(checked_name(display_name))
        if account is None:
            raise errors.player_not_found()
        return profile_of(account)
