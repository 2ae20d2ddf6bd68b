"""Signing in by an outside issuer: begun here, done there, finished here."""

import base64
import hashlib
import hmac
import secrets
import uuid
from collections.abc import Callable, Collection
from contextlib import suppress
from dataclasses import dataclass
from typing import Final

from mahjong_account import errors
from mahjong_account.credentials import Credentials
from mahjong_account.metrics import AccountMetrics
from mahjong_account.models import Account, OpenIdIdentity, OpenIdSignIn
from mahjong_account.names import checked_name, chosen_name
from mahjong_account.openid_issuer import Issuer, Subject
from mahjong_account.openid_rows import hash_of
from mahjong_account.profile import Profile, SignedIn, profile_of
from mahjong_account.sessions import Sessions
from mahjong_account.store import AccountStore
from mahjong_kit.errors import AlreadyExistsError, InvalidRequestError, invalid_field

LIFETIME_MS: Final = 600_000
_SECRET_BYTES: Final = 32
_CHOSEN_NAMES: Final = 3


@dataclass(frozen=True, slots=True)
class Begun:
    """A sign-in that the browser takes to the issuer."""

    authorization_url: str
    state: str
    expire_time_ms: int


@dataclass(frozen=True, slots=True)
class Returned:
    """What came back from the issuer, and what only the client that began knows."""

    state: str
    code: str
    code_verifier: str


class OpenId:
    """The use cases of an outside issuer."""

    def __init__(
        self,
        store: AccountStore,
        sessions: Sessions,
        credentials: Credentials,
        issuer: Issuer,
        redirect_uris: Collection[str],
        metrics: AccountMetrics,
        clock_ms: Callable[[], int],
    ) -> None:
        self._store = store
        self._sessions = sessions
        self._credentials = credentials
        self._issuer = issuer
        self._redirect_uris = redirect_uris
        self._metrics = metrics
        self._clock_ms = clock_ms

    async def begin(self, redirect_uri: str, code_challenge: str) -> Begun:
        """Begins a sign-in.

        Raises:
            InvalidRequestError: `INVALID_FIELD`.
            UnavailableError: `SERVICE_UNREACHABLE`.
        """
        if redirect_uri not in self._redirect_uris:
            raise invalid_field("redirect_uri", "not one that is allowed here")
        state, nonce = (secrets.token_urlsafe(_SECRET_BYTES) for _ in range(2))
        expire_time_ms = self._clock_ms() + LIFETIME_MS
        url = await self._issuer.authorization_url(
            redirect_uri=redirect_uri, state=state, nonce=nonce, code_challenge=code_challenge
        )
        begun = OpenIdSignIn(
            state_hash=hash_of(state),
            nonce=nonce,
            redirect_uri=redirect_uri,
            code_challenge=code_challenge,
            expire_time_ms=expire_time_ms,
        )
        async with self._store.changing() as changes:
            await changes.openid.begin(begun)
        return Begun(url, state, expire_time_ms)

    async def finish(self, returned: Returned, device_name: str) -> tuple[SignedIn, bool]:
        """Signs in the account of the subject; returns whether it was made just now.

        Raises:
            NotSignedInError: `OPENID_REFUSED`.
            UnavailableError: `SERVICE_UNREACHABLE`.
        """
        subject = await self._subject(returned)
        for name in (*_usable_names(subject), *(chosen_name() for _ in range(_CHOSEN_NAMES))):
            with suppress(AlreadyExistsError):  # Another name, or the account that was made at the same moment.
                return await self._signed_in(subject, name, device_name)
        raise errors.name_taken()

    async def link(self, player_id: str, password: str, returned: Returned) -> Profile:
        """Gives the subject to a player; a guest becomes an account.

        Asks for the account's password: a stolen access token must not open another way in for good.

        Raises:
            ForbiddenError: `PASSWORD_WRONG`.
            ThrottledError: `RATE_LIMITED`.
            NotSignedInError: `OPENID_REFUSED`.
            AlreadyExistsError: `OPENID_ALREADY_LINKED`, `DISPLAY_NAME_TAKEN`.
            NotFoundError: `ACCOUNT_NOT_FOUND`.
            UnavailableError: `SERVICE_UNREACHABLE`.
        """
        present = await self._credentials.confirm_owner(player_id, password)
        subject = await self._subject(returned)
        async with self._store.changing() as changes:
            account = await changes.accounts.lock(player_id)
            if account.password_hash != present.password_hash:  # It was changed meanwhile.
                raise errors.password_wrong()
            owner = await changes.openid.find_owner(self._issuer.client.issuer, subject.subject)
            if owner != player_id:
                if owner is not None:
                    raise errors.openid_already_linked()
                await changes.openid.add(self._identity(subject, player_id))
            if account.is_guest:
                await changes.names.claim(player_id, account.display_name)
                account.is_guest = False
                self._metrics.registrations.labels("guest").inc()
        return profile_of(account)

    async def _subject(self, returned: Returned) -> Subject:
        async with self._store.changing() as changes:
            begun = await changes.openid.take(returned.state, self._clock_ms())
        if begun is None or not hmac.compare_digest(_challenge_of(returned.code_verifier), begun.code_challenge):
            raise errors.openid_refused("state")
        token = await self._issuer.exchange(returned.code, returned.code_verifier, begun.redirect_uri)
        return await self._issuer.verify(token, begun.nonce)

    async def _signed_in(self, subject: Subject, name: str, device_name: str) -> tuple[SignedIn, bool]:
        async with self._store.changing() as changes:
            owner = await changes.openid.find_owner(self._issuer.client.issuer, subject.subject)
            if owner is not None:
                account = await changes.accounts.lock(owner)
            else:
                account = Account(
                    player_id=str(uuid.uuid4()), display_name=name, is_guest=False, create_time_ms=self._clock_ms()
                )
                await changes.accounts.add(account)
                await changes.openid.add(self._identity(subject, account.player_id))
                await changes.names.claim(account.player_id, name)
            signed_in = await self._sessions.begin(changes, account, device_name)
        self._metrics.openid_sign_ins.inc()
        if owner is None:
            self._metrics.registrations.labels("openid").inc()
        return signed_in, owner is None

    def _identity(self, subject: Subject, player_id: str) -> OpenIdIdentity:
        return OpenIdIdentity(
            issuer=self._issuer.client.issuer,
            subject=subject.subject,
            player_id=player_id,
            create_time_ms=self._clock_ms(),
        )


def _usable_names(subject: Subject) -> list[str]:
    names = []
    for name in subject.names:
        with suppress(InvalidRequestError):
            names.append(checked_name(name))
    return names


def _challenge_of(code_verifier: str) -> str:
    """Returns the challenge of a verifier (RFC 7636, S256)."""
    return base64.urlsafe_b64encode(hashlib.sha256(code_verifier.encode()).digest()).rstrip(b"=").decode()
