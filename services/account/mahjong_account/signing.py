"""Signs access tokens: EdDSA (Ed25519) JWTs, whose keys are named by their thumbprint (RFC 7638)."""

import base64
import hashlib
import json
import secrets
from dataclasses import dataclass

import jwt
from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from cryptography.hazmat.primitives.serialization import load_pem_private_key
from jwt.algorithms import OKPAlgorithm

from mahjong_kit.auth import ACCESS_ALGORITHM, ISSUER, PLAYER_AUDIENCE

_NONCE_BYTES = 12
_SEALING_PURPOSE = b"mahjongplanet account signing key"


@dataclass(frozen=True, slots=True)
class AccessToken:
    """A signed token and when it expires, in seconds since the epoch."""

    text: str
    expires_at: int


class Signer:
    """Signs with one private key."""

    def __init__(self, key: Ed25519PrivateKey, lifetime_s: int) -> None:
        self._key = key
        self._lifetime_s = lifetime_s
        self.jwk = public_jwk(key.public_key())
        self.key_id = thumbprint(self.jwk)

    def sign(self, player_id: str, display_name: str, issued_at: int, session_id: str = "") -> AccessToken:
        """Returns the access token of a player's session; the same one for the same arguments."""
        expires_at = issued_at + self._lifetime_s
        claims = {
            "iss": ISSUER,
            "aud": PLAYER_AUDIENCE,
            "sub": player_id,
            "name": display_name,
            "sid": session_id,
            "iat": issued_at,
            "exp": expires_at,
        }
        return AccessToken(jwt.encode(claims, self._key, ACCESS_ALGORITHM, {"kid": self.key_id}), expires_at)


def read_key(pem: str) -> Ed25519PrivateKey:
    """Returns the private key of a PEM text.

    Raises:
        ValueError: It is no Ed25519 private key.
    """
    key = load_pem_private_key(pem.encode(), password=None)
    if not isinstance(key, Ed25519PrivateKey):
        raise ValueError("not an Ed25519 private key")  # noqa: TRY004
    return key


def public_jwk(key: Ed25519PublicKey) -> str:
    """Returns the key as a JSON Web Key (RFC 8037), in the form that its thumbprint is taken of."""
    jwk = OKPAlgorithm.to_jwk(key, as_dict=True)
    return json.dumps({name: jwk[name] for name in ("crv", "kty", "x")}, separators=(",", ":"))


def thumbprint(jwk: str) -> str:
    """Returns the thumbprint of a key (RFC 7638). 43 characters."""
    return base64.urlsafe_b64encode(hashlib.sha256(jwk.encode()).digest()).rstrip(b"=").decode()


class Seal:
    """Encrypts private keys for the database, so that a copy of it signs nothing."""

    def __init__(self, service_key: str) -> None:
        secret = HKDF(algorithm=SHA256(), length=32, salt=None, info=_SEALING_PURPOSE).derive(service_key.encode())
        self._cipher = AESGCM(secret)

    def seal(self, key: Ed25519PrivateKey) -> bytes:
        """Returns the encrypted key."""
        nonce = secrets.token_bytes(_NONCE_BYTES)
        return nonce + self._cipher.encrypt(nonce, key.private_bytes_raw(), None)

    def open(self, sealed: bytes) -> Ed25519PrivateKey | None:
        """Returns the key, or None if it was sealed under another service key."""
        try:
            raw = self._cipher.decrypt(sealed[:_NONCE_BYTES], sealed[_NONCE_BYTES:], None)
        except InvalidTag:
            return None
        return Ed25519PrivateKey.from_private_bytes(raw)
