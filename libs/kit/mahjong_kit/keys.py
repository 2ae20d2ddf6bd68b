"""The signing keys of access tokens, fetched from the account service."""

import asyncio
import time
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

import grpc
import jwt
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from mahjong_kit.auth import Authenticator
from mahjong_kit.client import open_stub
from mahjong_kit.errors import service_unreachable
from mahjong_kit.settings import ServiceSettings
from mahjongplanet.account.v1 import account_service_pb2
from mahjongplanet.account.v1.account_service_pb2_grpc import AccountServiceStub

if TYPE_CHECKING:
    from mahjongplanet.account.v1.account_service_pb2_grpc import AccountServiceAsyncStub  # There for types only.

_FETCHED_AGAIN_AFTER_S = 2.0
"""Least time between two fetches for unknown keys: made-up key ids do not become load on the account service."""
_KEPT_FOR_S = 600.0
"""Keys older than this are fetched again, so that a withdrawn one stops to count."""


@asynccontextmanager
async def open_authenticator(settings: ServiceSettings) -> AsyncIterator[Authenticator]:
    """Gives the authenticator of any service but account, which asks account for the keys of players' tokens."""
    async with open_stub(AccountServiceStub, settings.account_address, tokens=None) as account:
        yield Authenticator(AccountKeys(account), settings.service_key.get_secret_value())


class AccountKeys:
    """Asks the account service for keys when one is unknown or the known ones are old."""

    def __init__(self, account: "AccountServiceAsyncStub") -> None:
        self._account = account
        self._keys: Mapping[str, Ed25519PublicKey] = {}
        self._fetched_at = float("-inf")
        self._fetching = asyncio.Lock()

    async def find_key(self, key_id: str) -> Ed25519PublicKey | None:
        """Returns the key, or None if there is no such key.

        Raises:
            UnavailableError: `SERVICE_UNREACHABLE`; the key is unknown and the account service does not answer.
        """
        if key_id not in self._keys or self._age_s() > _KEPT_FOR_S:
            async with self._fetching:
                await self._refresh(key_id)
        return self._keys.get(key_id)

    async def _refresh(self, key_id: str) -> None:
        if self._age_s() < (_FETCHED_AGAIN_AFTER_S if key_id not in self._keys else _KEPT_FOR_S):
            return
        try:
            response = await self._account.ListSigningKeys(account_service_pb2.ListSigningKeysRequest())
        except grpc.aio.AioRpcError as error:
            if key_id not in self._keys:
                raise service_unreachable("account") from error
            return
        self._keys = {key.key_id: public_key(key.jwk_json) for key in response.keys}
        self._fetched_at = time.monotonic()

    def _age_s(self) -> float:
        return time.monotonic() - self._fetched_at


def public_key(jwk_json: str) -> Ed25519PublicKey:
    """Returns the key of a JSON Web Key (RFC 8037).

    Raises:
        ValueError: It is no public Ed25519 key.
    """
    key = jwt.PyJWK.from_json(jwk_json).key
    if not isinstance(key, Ed25519PublicKey):
        raise ValueError("not a public Ed25519 key")  # noqa: TRY004
    return key
