"""Login names and passwords: registration, sign-in, a new password."""

import uuid
from collections.abc import Callable

from mahjong_account import errors
from mahjong_account.attempts import BY_LOGIN, BY_LOGIN_AND_ADDRESS, BY_PLAYER, Attempts
from mahjong_account.login_names import checked_login_name
from mahjong_account.metrics import AccountMetrics
from mahjong_account.models import Account
from mahjong_account.names import checked_name
from mahjong_account.passwords import Passwords, random_password
from mahjong_account.profile import Profile, SignedIn, profile_of
from mahjong_account.sessions import Sessions
from mahjong_account.store import AccountStore
from mahjong_kit.auth import Player


class Credentials:
    """What players do with login names and passwords. Hashing is never done inside a transaction."""

    def __init__(
        self,
        store: AccountStore,
        sessions: Sessions,
        passwords: Passwords,
        attempts: Attempts,
        metrics: AccountMetrics,
        clock_ms: Callable[[], int],
    ) -> None:
        self._store = store
        self._sessions = sessions
        self._passwords = passwords
        self._attempts = attempts
        self._metrics = metrics
        self._clock_ms = clock_ms

    async def register(self, login_name: str, password: str, display_name: str, device_name: str) -> SignedIn:
        """Makes an account and signs it in.

        Raises:
            InvalidRequestError: `LOGIN_NAME_REFUSED`, `PASSWORD_REFUSED`, `DISPLAY_NAME_REFUSED`.
            AlreadyExistsError: `LOGIN_NAME_TAKEN`, `DISPLAY_NAME_TAKEN`.
        """
        login_name, name = checked_login_name(login_name), checked_name(display_name)
        account = Account(
            player_id=str(uuid.uuid4()),
            display_name=name,
            is_guest=False,
            create_time_ms=self._clock_ms(),
            login_name=login_name,
            password_hash=await self._passwords.hash(password, login_name, name),
        )
        async with self._store.changing() as changes:
            if await changes.accounts.find_by_login_name(login_name) is not None:
                raise errors.login_name_taken()
            await changes.accounts.add(account)
            await changes.names.claim(account.player_id, name)
            signed_in = await self._sessions.begin(changes, account, device_name)
        self._metrics.registrations.labels("new").inc()
        return signed_in

    async def upgrade(self, player_id: str, login_name: str, password: str, display_name: str) -> Profile:
        """Turns a guest into an account; a second call with the same login name and password changes nothing.

        Raises:
            InvalidRequestError: `LOGIN_NAME_REFUSED`, `PASSWORD_REFUSED`, `DISPLAY_NAME_REFUSED`.
            AlreadyExistsError: `LOGIN_NAME_TAKEN`, `DISPLAY_NAME_TAKEN`.
            RuleViolationError: `NOT_A_GUEST`.
            NotFoundError: `ACCOUNT_NOT_FOUND`.
            ThrottledError: `RATE_LIMITED`.
        """
        login_name = checked_login_name(login_name)
        present = await self._account(player_id)
        name = checked_name(display_name if display_name.strip() else present.display_name)
        await self._attempts.take((BY_PLAYER, player_id))
        if present.is_guest:
            hashed = await self._passwords.hash(password, login_name, name)
            present, is_new = await self._registered(player_id, login_name, hashed, name)
            if is_new:
                return profile_of(present)
        is_repeat = present.login_name == login_name
        if is_repeat and await self._passwords.is_right(password, present.password_hash):
            return profile_of(present)
        raise errors.not_a_guest()

    async def sign_in(self, login_name: str, password: str, device_name: str, address: str) -> SignedIn:
        """Begins a session of the account with this login name and password.

        Args:
            login_name: as the player typed it.
            password: the same.
            device_name: what the player calls the device.
            address: where the call came from, as far as it is known.

        Raises:
            NotSignedInError: `SIGN_IN_REFUSED`: after the same work, whether there is such an account or not.
            ThrottledError: `RATE_LIMITED`.
        """
        login_name = login_name.strip().lower()
        here = (BY_LOGIN_AND_ADDRESS, f"{login_name}\0{address}")
        await self._attempts.take(here, (BY_LOGIN, login_name))
        found = await self._store.find_by_login_name(login_name)
        verified = None if found is None else found.password_hash
        if not await self._passwords.is_right(password, verified):
            self._metrics.sign_ins.labels("refused").inc()
            raise errors.sign_in_refused()
        assert found is not None
        assert verified is not None
        again = await self._passwords.hash_again(password) if self._passwords.is_outdated(verified) else verified
        async with self._store.changing() as changes:
            account = await changes.accounts.lock(found.player_id)
            if account.password_hash != verified:  # It was changed meanwhile.
                raise errors.sign_in_refused()
            account.password_hash = again
            signed_in = await self._sessions.begin(changes, account, device_name)
        await self._attempts.forgive(here)
        self._metrics.sign_ins.labels("done").inc()
        return signed_in

    async def change_password(self, player: Player, current: str, new: str) -> SignedIn:
        """Sets another password, ends all sessions of the account and begins one on the same device.

        Raises:
            ForbiddenError: `PASSWORD_WRONG`.
            InvalidRequestError: `PASSWORD_REFUSED`.
            RuleViolationError: `NO_PASSWORD`.
            NotFoundError: `ACCOUNT_NOT_FOUND`.
            ThrottledError: `RATE_LIMITED`.
        """
        present = await self._account(player.player_id)
        await self.confirm(present, current)
        hashed = await self._passwords.hash(new, present.login_name or "", present.display_name)
        async with self._store.changing() as changes:
            account = await changes.accounts.lock(player.player_id)
            if account.password_hash != present.password_hash:
                raise errors.password_wrong()
            account.password_hash = hashed
            device_name = await changes.sessions.find_device_name(player.session_id)
            await changes.sessions.end_all(player.player_id, self._clock_ms())
            return await self._sessions.begin(changes, account, device_name)

    async def confirm(self, account: Account, password: str) -> None:
        """Lets pass who knows the password of an account.

        Raises:
            ForbiddenError: `PASSWORD_WRONG`.
            RuleViolationError: `NO_PASSWORD`.
            ThrottledError: `RATE_LIMITED`.
        """
        if account.password_hash is None:
            raise errors.no_password()
        mine = (BY_PLAYER, account.player_id)
        await self._attempts.take(mine)
        if not await self._passwords.is_right(password, account.password_hash):
            raise errors.password_wrong()
        await self._attempts.forgive(mine)

    async def confirm_owner(self, player_id: str, password: str) -> Account:
        """Lets pass who knows the password of an account, or whoever comes if it has none; returns the account.

        Raises:
            ForbiddenError: `PASSWORD_WRONG`.
            NotFoundError: `ACCOUNT_NOT_FOUND`.
            ThrottledError: `RATE_LIMITED`.
        """
        account = await self._account(player_id)
        if account.password_hash is not None:
            await self.confirm(account, password)
        return account

    async def reset_password(self, login_name: str) -> tuple[str, str]:
        """Gives an account a random password and ends its sessions; returns the player's id and the password.

        Raises:
            NotFoundError: `LOGIN_NAME_NOT_FOUND`.
        """
        login_name = login_name.strip().lower()
        found = await self._store.find_by_login_name(login_name)
        if found is None:
            raise errors.login_name_not_found()
        password = random_password()
        hashed = await self._passwords.hash_again(password)
        async with self._store.changing() as changes:
            account = await changes.accounts.lock(found.player_id)
            account.password_hash = hashed
            await changes.sessions.end_all(account.player_id, self._clock_ms())
        await self._attempts.forgive((BY_LOGIN, login_name), (BY_PLAYER, account.player_id))
        return account.player_id, password

    async def _registered(self, player_id: str, login_name: str, hashed: str, name: str) -> tuple[Account, bool]:
        """Makes a guest an account; returns it, and whether it was a guest until now."""
        async with self._store.changing() as changes:
            account = await changes.accounts.lock(player_id)
            if not account.is_guest:  # Another call was faster.
                return account, False
            if await changes.accounts.find_by_login_name(login_name) is not None:
                raise errors.login_name_taken()
            await changes.accounts.register(account, login_name, hashed)
            await changes.names.claim(player_id, name)
            account.display_name = name
        self._metrics.registrations.labels("guest").inc()
        return account, True

    async def _account(self, player_id: str) -> Account:
        account = await self._store.find_account(player_id)
        if account is None:
            raise errors.account_not_found(player_id)
        return account
