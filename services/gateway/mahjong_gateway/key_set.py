"""The public keys of access tokens as a JSON Web Key Set (RFC 7517), for whoever checks tokens on the outside."""

import asyncio
import json
import time
from collections.abc import Awaitable, Callable
from typing import Final

from mahjong_gateway.web_files import Response
from mahjong_kit.errors import ServiceError
from mahjongplanet.account.v1.account_service_pb2 import ListSigningKeysResponse

PATH: Final = "/.well-known/jwks.json"
LIST_SIGNING_KEYS: Final = "/mahjongplanet.account.v1.AccountService/ListSigningKeys"
_KEPT_FOR_S: Final = 60.0
_ASKED_AGAIN_AFTER_S: Final = 5.0
"""Pause after an attempt that failed: an outage must not let requests queue, each with an attempt of its own."""
_HEADERS: Final = (
    (b"content-type", b"application/jwk-set+json"),
    (b"cache-control", b"public, max-age=300"),  # New keys are listed longer than this before they sign.
    (b"access-control-allow-origin", b"*"),
    (b"x-content-type-options", b"nosniff"),
)
_AWAY: Final = Response(
    503, [(b"content-type", b"text/plain; charset=utf-8"), (b"retry-after", b"5")], b"The keys can't be read now.\n"
)


class KeySet:
    """Answers requests for the keys; asks for them once a minute, and keeps the last answer through an outage."""

    def __init__(self, ask: Callable[[], Awaitable[bytes]], clock: Callable[[], float] = time.monotonic) -> None:
        self._ask = ask
        self._clock = clock
        self._asking = asyncio.Lock()
        self._asked_again_at = float("-inf")
        self._response = _AWAY

    async def respond(self) -> Response:
        """Returns the response to a GET."""
        async with self._asking:
            if self._clock() >= self._asked_again_at:
                await self._refresh()
        return self._response

    async def _refresh(self) -> None:
        try:
            keys = ListSigningKeysResponse.FromString(await self._ask()).keys
        except ServiceError:
            self._asked_again_at = self._clock() + _ASKED_AGAIN_AFTER_S
            return
        self._asked_again_at = self._clock() + _KEPT_FOR_S
        listed = [json.loads(key.jwk_json) | {"kid": key.key_id, "use": "sig", "alg": "EdDSA"} for key in keys]
        self._response = Response(200, list(_HEADERS), json.dumps({"keys": listed}).encode())
