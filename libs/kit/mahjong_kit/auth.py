"""Who calls: players by access tokens, services and operators by tokens of the shared service key."""

import re
import time
from collections import OrderedDict
from collections.abc import Callable, Mapping
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any, Protocol

import jwt
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from mahjong_kit.errors import ForbiddenError, NotSignedInError
from mahjongplanet.errors.v1.error_reason_pb2 import ErrorReason

ISSUER = "mahjongplanet"
PLAYER_AUDIENCE = "mahjongplanet"
INTERNAL_AUDIENCE = "mahjongplanet-internal"
ACCESS_ALGORITHM = "EdDSA"
INTERNAL_ALGORITHM = "HS256"
_INTERNAL_TOKEN_LIFETIME_S = 300
_RENEWED_BEFORE_S = 60
_CACHED_TOKENS = 10_000
_TOKEN = re.compile(r"(?=.{1,4096}\Z)[\w-]+\.[\w-]+\.[\w-]+", re.ASCII)
"""The library looks past what is no base64, so that a good token could be stretched until no transport carries it."""

Clock = Callable[[], float]
"""Seconds since the epoch."""


@dataclass(frozen=True, slots=True)
class Player:
    """A signed-in player."""

    player_id: str
    display_name: str
    session_id: str = ""
    """Session that the access token belongs to; empty for tokens of earlier releases."""


@dataclass(frozen=True, slots=True)
class Service:
    """A service of the platform."""

    name: str


@dataclass(frozen=True, slots=True)
class Operator:
    """A person who runs the platform."""

    name: str


Identity = Player | Service | Operator

_identity: ContextVar[Identity | None] = ContextVar("identity", default=None)


def current_identity() -> Identity | None:
    """Returns who makes the call that is served now; None for public methods."""
    return _identity.get()


def current_player() -> Player:
    """Returns the player who makes the call that is served now; for methods of CALLER_PLAYER only."""
    identity = _identity.get()
    if not isinstance(identity, Player):
        raise NotSignedInError(ErrorReason.ERROR_REASON_NOT_SIGNED_IN)
    return identity


def check_service(name: str) -> None:
    """Lets one service in only; for methods of CALLER_SERVICE that are one service's.

    Raises:
        ForbiddenError: `CALLER_NOT_ALLOWED`.
    """
    identity = _identity.get()
    if not isinstance(identity, Service) or identity.name != name:
        raise ForbiddenError(ErrorReason.ERROR_REASON_CALLER_NOT_ALLOWED, caller=f"service:{name}")


def log_fields(identity: Identity) -> dict[str, str]:
    """Returns who calls as keys of a log line; names of people stay out."""
    match identity:
        case Player():
            return {"player_id": identity.player_id}
        case Service():
            return {"caller_service": identity.name}
        case Operator():
            return {"operator": identity.name}


def adopt_identity(identity: Identity) -> None:
    """Makes the caller known to the handler of the current call."""
    _identity.set(identity)


class KeySource(Protocol):
    """Knows the public keys that access tokens are signed by."""

    async def find_key(self, key_id: str) -> Ed25519PublicKey | None:
        """Returns the key, or None if there is no such key."""


class Authenticator:
    """Verifies tokens; a token is verified once and then remembered until it expires."""

    def __init__(self, keys: KeySource, service_key: str, clock: Clock = time.time) -> None:
        self._keys = keys
        self._service_key = service_key
        self._clock = clock
        self._known: OrderedDict[str, tuple[Identity, float]] = OrderedDict()

    async def authenticate(self, token: str) -> Identity:
        """Returns whose token this is.

        Raises:
            NotSignedInError: `TOKEN_INVALID` or `SESSION_EXPIRED`.
        """
        known = self._known.get(token)
        if known is None:
            known = await self._verify(token)
            self._known[token] = known
            if len(self._known) > _CACHED_TOKENS:
                self._known.popitem(last=False)
        identity, expires_at = known
        if self._clock() >= expires_at:
            self._known.pop(token, None)
            raise NotSignedInError(ErrorReason.ERROR_REASON_SESSION_EXPIRED)
        return identity

    async def _verify(self, token: str) -> tuple[Identity, float]:
        if not _TOKEN.fullmatch(token):
            raise NotSignedInError(ErrorReason.ERROR_REASON_TOKEN_INVALID)
        try:
            header = jwt.get_unverified_header(token)
            if header.get("alg") == INTERNAL_ALGORITHM:
                claims = _decoded(token, self._service_key, INTERNAL_ALGORITHM, INTERNAL_AUDIENCE)
                return _internal_identity(claims["sub"]), float(claims["exp"])
            key = await self._keys.find_key(str(header.get("kid", "")))
            if key is None:
                raise NotSignedInError(ErrorReason.ERROR_REASON_TOKEN_INVALID)
            claims = _decoded(token, key, ACCESS_ALGORITHM, PLAYER_AUDIENCE)
            return Player(claims["sub"], str(claims["name"]), str(claims.get("sid", ""))), float(claims["exp"])
        except (jwt.InvalidTokenError, LookupError, TypeError, ValueError) as error:
            raise NotSignedInError(ErrorReason.ERROR_REASON_TOKEN_INVALID) from error


class InternalTokens:
    """Gives the token by which a service or an operator calls other services; renews it in time."""

    def __init__(self, identity: Service | Operator, service_key: str, clock: Clock = time.time) -> None:
        kind = "service" if isinstance(identity, Service) else "operator"
        self._subject = f"{kind}:{identity.name}"
        self._service_key = service_key
        self._clock = clock
        self._token = ""
        self._expires_at = 0.0

    def token(self) -> str:
        """Returns a token that lives for another minute at least."""
        now = self._clock()
        if now > self._expires_at - _RENEWED_BEFORE_S:
            self._expires_at = int(now) + _INTERNAL_TOKEN_LIFETIME_S
            claims = {
                "iss": ISSUER,
                "aud": INTERNAL_AUDIENCE,
                "sub": self._subject,
                "iat": int(now),
                "exp": int(self._expires_at),
            }
            self._token = jwt.encode(claims, self._service_key, INTERNAL_ALGORITHM)
        return self._token


def _decoded(token: str, key: Any, algorithm: str, audience: str) -> Mapping[str, Any]:
    # Expiry is checked against our clock on every use; `iat` may lie ahead where clocks differ a little.
    options: Any = {"require": ["exp", "sub"], "verify_exp": False, "verify_iat": False}
    claims: Mapping[str, Any] = jwt.decode(
        token, key, algorithms=[algorithm], audience=audience, issuer=ISSUER, options=options
    )
    return claims


def _internal_identity(subject: str) -> Identity:
    kind, _, name = subject.partition(":")
    kinds: dict[str, type[Service | Operator]] = {"service": Service, "operator": Operator}
    return kinds[kind](name)
