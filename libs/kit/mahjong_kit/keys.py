"""The public keys of access tokens, fetched when they are needed and kept for a while."""

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager

import grpc
import jwt
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from mahjong_kit.auth import Authenticator
from mahjong_kit.client import open_stub
from mahjong_kit.errors import ServiceError, service_unreachable
from mahjong_kit.log import get_logger
from mahjong_kit.settings import ServiceSettings
from mahjong_kit.tls import channel_credentials
from mahjongplanet.account.v1.account_service_pb2 import ListSigningKeysRequest
from mahjongplanet.account.v1.account_service_pb2_grpc import AccountServiceStub

FETCHED_AGAIN_AFTER_S = 2.0
"""Least time between two fetches: made-up key ids and outages do not become load on the account service."""
KEPT_FOR_S = 600.0
"""Keys older than this are fetched again, so that a withdrawn one stops to count."""
_FETCH_TIMEOUT_S = 2.0

_log = get_logger()

FetchKeys = Callable[[], Awaitable[Mapping[str, str]]]
"""Returns JSON Web Keys by key id, or raises a ServiceError."""


@asynccontextmanager
async def open_authenticator(settings: ServiceSettings) -> AsyncIterator[Authenticator]:
    """Gives the authenticator of any service but account, which asks account for the keys of players' tokens."""
    async with open_stub(
        AccountServiceStub, settings.account_address, tokens=None, credentials=channel_credentials(settings)
    ) as account:

        async def fetch() -> Mapping[str, str]:
            try:
                response = await account.ListSigningKeys(ListSigningKeysRequest(), timeout=_FETCH_TIMEOUT_S)
            except grpc.aio.AioRpcError as error:
                raise service_unreachable("account") from error
            return {key.key_id: key.jwk_json for key in response.keys}

        yield Authenticator(FetchedKeys(fetch), settings.service_key.get_secret_value())


class FetchedKeys:
    """Fetches keys when one is unknown or the known ones are old; known keys count on while nobody answers."""

    def __init__(self, fetch: FetchKeys, clock: Callable[[], float] = time.monotonic) -> None:
        self._fetch = fetch
        self._clock = clock
        self._keys: Mapping[str, Ed25519PublicKey] = {}
        self._fetched_at = self._tried_at = float("-inf")
        self._failure: ServiceError | None = None
        self._fetching = asyncio.Lock()

    async def find_key(self, key_id: str) -> Ed25519PublicKey | None:
        """Returns the key, or None if there is no such key.

        Raises:
            ServiceError: The key is unknown and the keys can't be fetched.
        """
        is_known = key_id in self._keys
        if not is_known or (self._is_old() and not self._fetching.locked()):
            async with self._fetching:
                await self._refresh(key_id)
        return self._keys.get(key_id)

    async def _refresh(self, key_id: str) -> None:
        is_needed = key_id not in self._keys or self._is_old()
        if is_needed and self._clock() - self._tried_at >= FETCHED_AGAIN_AFTER_S:
            self._tried_at = self._clock()
            try:
                self._keys = _usable_keys(await self._fetch())
            except ServiceError as error:
                self._failure = error
            else:
                self._failure, self._fetched_at = None, self._tried_at
        if self._failure is not None and key_id not in self._keys:
            raise self._failure.with_traceback(None)

    def _is_old(self) -> bool:
        return self._clock() - self._fetched_at > KEPT_FOR_S


def _usable_keys(jwks: Mapping[str, str]) -> dict[str, Ed25519PublicKey]:
    keys = {}
    for key_id, jwk in jwks.items():
        try:
            keys[key_id] = public_key(jwk)
        except ValueError as error:  # A newer release may sign by other kinds.
            _log.warning("signing_key.skipped", key_id=key_id, problem=str(error))
    return keys


def public_key(jwk_json: str) -> Ed25519PublicKey:
    """Returns the key of a JSON Web Key (RFC 8037).

    Raises:
        ValueError: It is no public Ed25519 key.
    """
    try:
        key = jwt.PyJWK.from_json(jwk_json).key
    except (jwt.PyJWTError, AttributeError) as error:
        raise ValueError("not a JSON Web Key") from error
    if not isinstance(key, Ed25519PublicKey):
        raise ValueError("not a public Ed25519 key")  # noqa: TRY004
    return key
