"""Sessions: begun by a sign-in, carried on by refresh tokens, ended by their players or by a token that came twice."""

import uuid
from collections.abc import Callable, Sequence
from typing import Final

from mahjong_account import errors, refresh_token
from mahjong_account.key_ring import KeyRing
from mahjong_account.metrics import AccountMetrics
from mahjong_account.models import Account, RefreshToken, Session
from mahjong_account.profile import Profile, SignedIn, profile_of
from mahjong_account.session_rows import KnownToken
from mahjong_account.store import AccountStore, Changes

SESSIONS_MAX: Final = 50
"""Most open sessions of a player."""


class Sessions:
    """Begins, refreshes, lists and ends sessions."""

    def __init__(
        self,
        store: AccountStore,
        keys: KeyRing,
        metrics: AccountMetrics,
        *,
        refresh_lifetime_s: int,
        refresh_grace_s: float,
        clock_ms: Callable[[], int],
    ) -> None:
        self._store = store
        self._keys = keys
        self._metrics = metrics
        self._refresh_lifetime_ms = refresh_lifetime_s * 1000
        self._refresh_grace_ms = refresh_grace_s * 1000
        self._clock_ms = clock_ms

    async def begin(self, changes: Changes, account: Account, device_name: str) -> SignedIn:
        """Begins a session of an account in an open transaction; ends the oldest ones if there are too many."""
        now_ms = self._clock_ms()
        if account.create_time_ms < now_ms:  # Else it has just been made.
            kept = SESSIONS_MAX - 1
            oldest = [one.session_id for one in (await changes.sessions.list_open(account.player_id, now_ms))[kept:]]
            for session_id in sorted(oldest):  # In the order of all who lock sessions.
                await changes.sessions.end(session_id, now_ms)
        text = refresh_token.new_token()
        expire_time_ms = now_ms + self._refresh_lifetime_ms
        session = Session(
            session_id=str(uuid.uuid4()),
            player_id=account.player_id,
            create_time_ms=now_ms,
            expire_time_ms=expire_time_ms,
            device_name=device_name,
            refresh_time_ms=now_ms,
        )
        await changes.sessions.add(session, _row(text, session.session_id, expire_time_ms))
        return self._signed_in(profile_of(account), session.session_id, text, now_ms, expire_time_ms)

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
            known = await changes.sessions.find_token(refresh_token.hash_of(token))
            if known is not None and await changes.sessions.end(known.session_id, self._clock_ms()):
                self._metrics.sign_outs.inc()

    async def sign_out_everywhere(self, player_id: str) -> int:
        """Ends every session of a player; returns how many were open."""
        async with self._store.changing() as changes:
            count = await changes.sessions.end_all(player_id, self._clock_ms())
        self._metrics.sign_outs.inc(count)
        return count

    async def list_open(self, player_id: str) -> Sequence[Session]:
        """Returns the open sessions of a player, the one used last first."""
        return await self._store.list_sessions(player_id, self._clock_ms())

    async def end(self, player_id: str, session_id: str) -> None:
        """Ends one session of a player; a second call changes nothing.

        Raises:
            NotFoundError: `SESSION_NOT_FOUND`.
        """
        async with self._store.changing() as changes:
            if await changes.sessions.find_owner(session_id) != player_id:
                raise errors.session_not_found(session_id)
            if await changes.sessions.end(session_id, self._clock_ms()):
                self._metrics.sign_outs.inc()

    async def _rotate(self, changes: Changes, token: str) -> SignedIn | None:
        """Returns the session after this token, or None after it has ended the session: the token came too late."""
        now_ms = self._clock_ms()
        known = await changes.sessions.lock_token(refresh_token.hash_of(token))
        if known is None or known.is_session_ended or known.expire_time_ms <= now_ms:
            raise errors.refresh_token_invalid()
        if known.spent_time_ms is None:
            return await self._go_on(changes, token, known, now_ms)
        return await self._repeat(changes, token, known, now_ms)

    async def _go_on(self, changes: Changes, token: str, known: KnownToken, now_ms: int) -> SignedIn:
        salt = refresh_token.new_salt()
        await changes.sessions.spend_token(refresh_token.hash_of(token), salt, now_ms)
        text = refresh_token.next_token(token, salt)
        expire_time_ms = now_ms + self._refresh_lifetime_ms
        await changes.sessions.add_token(_row(text, known.session_id, expire_time_ms), now_ms)
        return self._signed_in(known.profile, known.session_id, text, now_ms, expire_time_ms)

    async def _repeat(self, changes: Changes, token: str, known: KnownToken, now_ms: int) -> SignedIn | None:
        assert known.spent_time_ms is not None
        assert known.salt is not None
        if now_ms - known.spent_time_ms > self._refresh_grace_ms:
            await changes.sessions.end(known.session_id, now_ms)
            return None
        text = refresh_token.next_token(token, known.salt)
        expire_time_ms = known.spent_time_ms + self._refresh_lifetime_ms
        return self._signed_in(known.profile, known.session_id, text, known.spent_time_ms, expire_time_ms)

    def _signed_in(
        self, profile: Profile, session_id: str, text: str, issue_time_ms: int, expire_time_ms: int
    ) -> SignedIn:
        access = self._keys.signer.sign(profile.player_id, profile.display_name, issue_time_ms // 1000, session_id)
        return SignedIn(profile, access, text, expire_time_ms)


def _row(text: str, session_id: str, expire_time_ms: int) -> RefreshToken:
    return RefreshToken(token_hash=refresh_token.hash_of(text), session_id=session_id, expire_time_ms=expire_time_ms)
