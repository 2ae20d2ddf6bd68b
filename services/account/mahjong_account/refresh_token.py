"""Refresh tokens: 256 random bits that only the client keeps; the database keeps their hashes.

The token that follows a spent one is derived from it and a random salt. A client that lost the answer and asks again
thus gets the same one, although nobody has stored it: neither the database nor an old token alone gives the next.
"""

import base64
import hashlib
import hmac
import secrets

_BYTES = 32


def new_token() -> str:
    """Returns a token that nobody can guess. 43 characters."""
    return _text(secrets.token_bytes(_BYTES))


def new_salt() -> bytes:
    """Returns the salt that is kept when a token is spent."""
    return secrets.token_bytes(_BYTES)


def next_token(spent: str, salt: bytes) -> str:
    """Returns the token that follows a spent one."""
    return _text(hmac.digest(salt, spent.encode(), "sha256"))


def hash_of(token: str) -> bytes:
    """Returns what the database keeps of a token; a plain hash is enough for 256 random bits."""
    return hashlib.sha256(token.encode()).digest()


def _text(token: bytes) -> str:
    return base64.urlsafe_b64encode(token).rstrip(b"=").decode()
