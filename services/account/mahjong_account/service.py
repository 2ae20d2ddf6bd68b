"""What players do with accounts and sessions."""

import uuid
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from mahjong_account import errors, refresh_token
from mahjong_account.metrics import AccountMetrics
from mahjong_account.models import Account, RefreshToken, Session
from mahjong_account.names import checked_name, chosen_name
from mahjong_account.signing import AccessToken, Signer
from mahjong_account.store import AccountChanges, AccountStore, KnownToken


@dataclass(frozen=True, slots=True)
class Profile:
    """What everybody may know of an account."""

    player_id: str
    display_name: str
    is_guest: bool


@dataclass(frozen=True, slots=True)
class SignedIn:
    """A signed-in player: the profile and both tokens."""

    profile: Profile
    access: AccessToken
    refresh_token: str
    refresh_expire_time_ms: int


class AccountService:
    """The use cases of accounts."""

    def __init__(
        self,
        store: AccountStore,
        signer: Signer,
        metrics: AccountMetrics,
        *,
        refresh_lifetime_s: int,
        refresh_grace_s: float,
        clock_ms: Callable[[], int],
    ) -> None:
        self._store = store
        self._signer = signer
        self._metrics = metrics
        self._refresh_lifetime_ms = refresh_lifetime_s * 1000
        self._refresh_grace_ms = refresh_grace_s * 1000
        self._clock_ms = clock_ms

    async def create_guest(self, display_name: str) -> SignedIn:
        """Makes a guest and signs it in; the name is chosen if it is blank.

        Raises:
            InvalidRequestError: `DISPLAY_NAME_REFUSED`.
        """
        now_ms = self._clock_ms()
        account = Account(
            player_id=str(uuid.uuid4()),
            display_name=checked_name(display_name) if display_name.strip() else chosen_name(),
            is_guest=True,
            create_time_ms=now_ms,
        )
        text = refresh_token.new_token()
        expire_time_ms = now_ms + self._refresh_lifetime_ms
        session = Session(
            session_id=str(uuid.uuid4()),
            player_id=account.player_id,
            create_time_ms=now_ms,
            expire_time_ms=expire_time_ms,
        )
        signed_in = self._signed_in(profile_of(account), text, now_ms, expire_time_ms)
        async with self._store.changing() as changes:
            await changes.add_account(account, session, _row(text, session.session_id, expire_time_ms))
        self._metrics.guests_created.inc()
        return signed_in

    async def refresh(self, token: str) -> SignedIn:
        """Exchanges a refresh token for a new session, or for the same one again shortly after.

        Raises:
            NotSignedInError: `REFRESH_TOKEN_INVALID` or `REFRESH_TOKEN_REUSED`.
        """
        async with self._store.changing() as changes:
            signed_in = await self._rotate(changes, token)
        if signed_in is None:  # The end of the session had to be committed first.
            self._metrics.refreshes.labels("reused").inc()
            raise errors.refresh_token_reused()
        self._metrics.refreshes.labels("done").inc()
        return signed_in

    async def sign_out(self, token: str) -> None:
        """Ends the session of a refresh token, if it is one; a second call changes nothing."""
        async with self._store.changing() as changes:
            known = await changes.find_token(refresh_token.hash_of(token))
            if known is not None and await changes.end_session(known.session_id, self._clock_ms()):
                self._metrics.sign_outs.inc()

    async def account(self, player_id: str) -> Account:
        """Returns the account.

        Raises:
            NotFoundError: `ACCOUNT_NOT_FOUND`.
        """
        account = await self._store.find_account(player_id)
        if account is None:
            raise errors.account_not_found(player_id)
        return account

    async def rename(self, player_id: str, display_name: str) -> Profile:
        """Changes the display name; access tokens carry it from the next refresh on.

        Raises:
            InvalidRequestError: `DISPLAY_NAME_REFUSED`.
            NotFoundError: `ACCOUNT_NOT_FOUND`.
        """
        name = checked_name(display_name)
        async with self._store.changing() as changes:
            account = await changes.rename(player_id, name)
        if account is None:
            raise errors.account_not_found(player_id)
        return profile_of(account)

    async def profiles(self, player_ids: Sequence[str]) -> list[Profile]:
        """Returns the profiles of those who exist, in the order asked, each once."""
        asked = list(dict.fromkeys(player_ids))
        found = {account.player_id: profile_of(account) for account in await self._store.find_accounts(asked)}
        return [found[player_id] for player_id in asked if player_id in found]

    async def _rotate(self, changes: AccountChanges, token: str) -> SignedIn | None:
        """Returns the session after this token, or None after it has ended the session: the token came too late."""
        now_ms = self._clock_ms()
        token_hash = refresh_token.hash_of(token)
        salt = refresh_token.new_salt()
        is_first = await changes.spend_token(token_hash, salt, now_ms)
        known = await changes.find_token(token_hash)
        if known is None or known.is_session_ended or known.expire_time_ms <= now_ms:
            raise errors.refresh_token_invalid()  # Rolls back.
        if is_first:
            return await self._go_on(changes, token, salt, known, now_ms)
        return await self._repeat(changes, token, known, now_ms)

    async def _go_on(
        self, changes: AccountChanges, token: str, salt: bytes, known: KnownToken, now_ms: int
    ) -> SignedIn:
        text = refresh_token.next_token(token, salt)
        expire_time_ms = now_ms + self._refresh_lifetime_ms
        await changes.add_token(_row(text, known.session_id, expire_time_ms))
        return self._signed_in(_profile_of_known(known), text, now_ms, expire_time_ms)

    async def _repeat(self, changes: AccountChanges, token: str, known: KnownToken, now_ms: int) -> SignedIn | None:
        assert known.spent_time_ms is not None
        assert known.salt is not None
        if now_ms - known.spent_time_ms > self._refresh_grace_ms:
            await changes.end_session(known.session_id, now_ms)
            return None
        text = refresh_token.next_token(token, known.salt)
        expire_time_ms = known.spent_time_ms + self._refresh_lifetime_ms
        return self._signed_in(_profile_of_known(known), text, known.spent_time_ms, expire_time_ms)

    def _signed_in(self, profile: Profile, text: str, issue_time_ms: int, expire_time_ms: int) -> SignedIn:
        access = self._signer.sign(profile.player_id, profile.display_name, issue_time_ms // 1000)
        return SignedIn(profile, access, text, expire_time_ms)


def profile_of(account: Account) -> Profile:
    """Returns what everybody may know of an account."""
    return Profile(account.player_id, account.display_name, account.is_guest)


def _profile_of_known(known: KnownToken) -> Profile:
    return Profile(known.player_id, known.display_name, known.is_guest)


def _row(text: str, session_id: str, expire_time_ms: int) -> RefreshToken:
    return RefreshToken(token_hash=refresh_token.hash_of(text), session_id=session_id, expire_time_ms=expire_time_ms)
