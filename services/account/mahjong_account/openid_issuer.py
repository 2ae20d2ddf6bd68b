"""An outside OpenID Connect issuer, as a relying party sees it: discovery, keys, the exchange of codes, ID tokens.

By OpenID Connect Core 1.0 (sections 3.1.2, 3.1.3), Discovery 1.0 and RFC 7636. Discovery and keys are fetched when they
are first needed and kept for a while; an unknown key id fetches them again, once in ten seconds at most.
"""

import asyncio
import base64
import hmac
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import quote, urlencode, urlsplit

import jwt
import pyqwest

from mahjong_account import errors
from mahjong_kit.errors import ServiceError, service_unreachable
from mahjong_kit.log import get_logger

SERVICE: Final = "openid"
"""What the issuer is called in SERVICE_UNREACHABLE."""
_ALGORITHMS: Final = ("RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA")
"""Signatures by a key pair; never `none`, never a shared secret."""
_KEPT_FOR_S: Final = 3_600.0
_ASKED_AGAIN_AFTER_S: Final = 10.0
_TIMEOUT_S: Final = 8.0
_BYTES_MAX: Final = 1 << 20
_LEEWAY_S: Final = 60
_SERVER_FAULT: Final = 500
_LOOPBACK: Final = frozenset({"localhost", "127.0.0.1", "::1"})
_HTTP_FAULTS: Final = (
    pyqwest.ReadError,
    pyqwest.WriteError,
    pyqwest.RemoteProtocolError,
    pyqwest.TooManyRedirects,
)
_ENDPOINTS: Final = ("authorization_endpoint", "token_endpoint", "jwks_uri")

_log = get_logger()


@dataclass(frozen=True, slots=True)
class Client:
    """What we are to the issuer."""

    issuer: str
    client_id: str
    client_secret: str
    """Empty for a public client."""
    scope: str


@dataclass(frozen=True, slots=True)
class Subject:
    """Whom an ID token is about."""

    subject: str
    names: tuple[str, ...]
    """What the issuer calls the person, the best first."""


class Issuer:
    """Speaks to one issuer."""

    def __init__(self, client: Client, http: pyqwest.Client, clock: Callable[[], float]) -> None:
        self.client = client
        self._http = http
        self._clock = clock
        self._asking = asyncio.Lock()
        self._metadata: Mapping[str, Any] = {}
        self._keys: Mapping[str, jwt.PyJWK] = {}
        self._learned_at = self._asked_at = float("-inf")
        self._tries = 0

    async def authorization_url(self, **parameters: str) -> str:
        """Returns where the browser goes.

        Args:
            parameters: `redirect_uri`, `state`, `nonce`, `code_challenge`.

        Raises:
            UnavailableError: `SERVICE_UNREACHABLE`.
        """
        endpoint = str((await self._known())["authorization_endpoint"])
        query = {
            "response_type": "code",
            "client_id": self.client.client_id,
            "scope": self.client.scope,
            "code_challenge_method": "S256",
            **parameters,
        }
        return f"{endpoint}{'&' if urlsplit(endpoint).query else '?'}{urlencode(query)}"

    async def exchange(self, code: str, code_verifier: str, redirect_uri: str) -> str:
        """Returns the ID token that a code stands for.

        Raises:
            NotSignedInError: `OPENID_REFUSED`, problem `code`.
            UnavailableError: `SERVICE_UNREACHABLE`.
        """
        form = {
            "grant_type": "authorization_code",
            "code": code,
            "redirect_uri": redirect_uri,
            "code_verifier": code_verifier,
        }
        headers = {"content-type": "application/x-www-form-urlencoded", "accept": "application/json"}
        if self.client.client_secret:
            headers["authorization"] = _basic(self.client.client_id, self.client.client_secret)
        else:
            form["client_id"] = self.client.client_id
        endpoint = str((await self._known())["token_endpoint"])
        status, body = await self._send("POST", endpoint, headers, urlencode(form).encode())
        token = body.get("id_token")
        if status != 200 or not isinstance(token, str):
            _log.info("openid.code_refused", status=status, problem=str(body.get("error", ""))[:64])
            raise errors.openid_refused("code")
        return token

    async def verify(self, id_token: str, nonce: str) -> Subject:
        """Returns whom an ID token of this issuer, for us and for this sign-in, is about.

        Raises:
            NotSignedInError: `OPENID_REFUSED`, problem `token`.
            UnavailableError: `SERVICE_UNREACHABLE`.
        """
        try:
            claims = await self._checked(id_token)
            if not hmac.compare_digest(str(claims.get("nonce", "")).encode(), nonce.encode()):
                raise jwt.InvalidTokenError("another nonce")
        except (jwt.PyJWTError, ValueError, TypeError) as error:
            _log.info("openid.token_refused", problem=type(error).__name__)
            raise errors.openid_refused("token") from error
        names = (claims.get(claim) for claim in ("nickname", "preferred_username", "name"))
        return Subject(str(claims["sub"]), tuple(name for name in names if isinstance(name, str) and name))

    async def _checked(self, id_token: str) -> Mapping[str, Any]:
        header = jwt.get_unverified_header(id_token)
        algorithm = header.get("alg")
        if algorithm not in _ALGORITHMS:
            raise jwt.InvalidAlgorithmError("not a signature by a key pair")
        key = await self._key(header.get("kid"))
        claims: dict[str, Any] = jwt.decode(
            id_token,
            key,
            algorithms=[algorithm],
            audience=self.client.client_id,
            issuer=self.client.issuer,
            options={"require": ["iss", "aud", "sub", "exp", "iat"], "verify_exp": False, "verify_iat": False},
        )
        now = self._clock()
        if float(claims["exp"]) <= now - _LEEWAY_S or float(claims["iat"]) > now + _LEEWAY_S:
            raise jwt.ExpiredSignatureError("expired, or of the future")
        audiences = claims["aud"] if isinstance(claims["aud"], list) else [claims["aud"]]
        if (len(audiences) > 1 or "azp" in claims) and claims.get("azp") != self.client.client_id:
            raise jwt.InvalidAudienceError("given to somebody else")
        if not 1 <= len(claims["sub"]) <= 255:
            raise jwt.InvalidTokenError("no subject")
        return claims

    async def _key(self, key_id: object) -> jwt.PyJWK:
        """Returns the issuer's key of an id; without an id, the only one that there is."""
        await self._known()
        name = "" if key_id is None else str(key_id)
        if self._find(name) is None:
            await self._learn(_ASKED_AGAIN_AFTER_S)
        key = self._find(name)
        if key is None:
            raise jwt.InvalidKeyError("unknown key")
        return key

    def _find(self, name: str) -> jwt.PyJWK | None:
        if name:
            return self._keys.get(name)
        return next(iter(self._keys.values())) if len(self._keys) == 1 else None

    async def _known(self) -> Mapping[str, Any]:
        if self._clock() - self._learned_at > _KEPT_FOR_S:
            await self._learn(_ASKED_AGAIN_AFTER_S)
        return self._metadata

    async def _learn(self, pause_s: float) -> None:
        """Fetches discovery and keys, unless that was just done; an outage leaves what is known.

        Whoever comes while somebody else fetches them gets what comes of that, so that nobody waits in line for an
        issuer that is away.
        """
        tries = self._tries
        async with self._asking:
            if self._tries > tries and not self._metadata:
                raise service_unreachable(SERVICE)
            if self._tries > tries or self._clock() - self._asked_at < pause_s:
                return
            self._asked_at = self._clock()
            try:
                metadata = await self._read(f"{self.client.issuer.rstrip('/')}/.well-known/openid-configuration")
                _check_metadata(metadata, self.client.issuer)
                self._keys = _usable_keys(await self._read(str(metadata["jwks_uri"])))
            except (LookupError, ValueError, ServiceError) as error:
                _log.warning("openid.unusable", problem=str(error))
                if not self._metadata:
                    self._asked_at = float("-inf")
                    raise service_unreachable(SERVICE) from error
            else:
                self._metadata, self._learned_at = metadata, self._asked_at
            finally:
                self._tries += 1

    async def _read(self, url: str) -> Mapping[str, Any]:
        status, body = await self._send("GET", url, {"accept": "application/json"}, None)
        if status != 200:
            raise service_unreachable(SERVICE)
        return body

    async def _send(
        self, method: str, url: str, headers: Mapping[str, str], content: bytes | None
    ) -> tuple[int, Mapping[str, Any]]:
        """Returns status and JSON of a response.

        Raises:
            UnavailableError: `SERVICE_UNREACHABLE`.
        """
        try:
            async with asyncio.timeout(_TIMEOUT_S):
                response = await self._http.execute(method, url, headers, content)
        except (OSError, ValueError, *_HTTP_FAULTS) as error:
            _log.warning("openid.unreachable", problem=type(error).__name__)
            raise service_unreachable(SERVICE) from error
        if response.status >= _SERVER_FAULT or len(response.content) > _BYTES_MAX:
            raise service_unreachable(SERVICE)
        try:
            body = json.loads(response.content)
        except ValueError:
            body = None
        return response.status, body if isinstance(body, dict) else {}


def is_safe_url(url: str) -> bool:
    """Whether nobody on the way can read or change what is sent there: TLS, or this machine."""
    parts = urlsplit(url)
    return parts.scheme == "https" or (parts.scheme == "http" and parts.hostname in _LOOPBACK)


def _check_metadata(metadata: Mapping[str, Any], issuer: str) -> None:
    if metadata["issuer"] != issuer:
        raise ValueError("discovery names another issuer")
    if not all(is_safe_url(str(metadata[name])) for name in _ENDPOINTS):
        raise ValueError("an endpoint is not secured by TLS")


def _usable_keys(key_set: Mapping[str, Any]) -> dict[str, jwt.PyJWK]:
    keys = {}
    for entry in key_set["keys"]:
        if entry.get("use", "sig") != "sig" or entry.get("kty") == "oct":
            continue
        try:
            keys[str(entry.get("kid", ""))] = jwt.PyJWK(entry)
        except jwt.PyJWTError:
            continue  # Of a kind that is not known here.
    return keys


def _basic(client_id: str, client_secret: str) -> str:
    pair = f"{quote(client_id, safe='')}:{quote(client_secret, safe='')}"
    return f"Basic {base64.b64encode(pair.encode()).decode()}"
