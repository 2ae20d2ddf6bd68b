"""Invite codes for people and signed texts for links."""

import base64
import binascii
import hashlib
import hmac
import secrets
import struct
import uuid
from dataclasses import dataclass
from typing import Final

_ALPHABET: Final = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
"""Crockford's base 32: nothing that looks or sounds like something else; https://www.crockford.com/base32.html."""
_READ_AS: Final = str.maketrans("OIL", "011", " -")
CODE_LENGTH: Final = 8
"""40 bits: by the limit of wrong codes, an account tries a century to find one of 1,000 rooms."""
_LINK: Final = struct.Struct(">16sII")
"""Room, generation of its invites, end in seconds since the epoch."""
_MAC_BYTES: Final = 16


def new_code() -> str:
    """Returns a code that nobody can guess."""
    return "".join(secrets.choice(_ALPHABET) for _ in range(CODE_LENGTH))


def read_code(typed: str) -> str | None:
    """Returns the code that a person means; None if it can be none."""
    code = typed.upper().translate(_READ_AS)
    return code if len(code) == CODE_LENGTH and set(code) <= set(_ALPHABET) else None


@dataclass(frozen=True, slots=True)
class Link:
    """What a link says."""

    room_id: str
    generation: int
    expires_at_ms: int


class Links:
    """Signs and reads the texts of links: HMAC-SHA-256, cut to 16 bytes, under a key of its own."""

    def __init__(self, service_key: str) -> None:
        self._key = hmac.digest(service_key.encode(), b"mahjong room invite 1", hashlib.sha256)

    def sign(self, link: Link) -> str:
        """Returns the text of a link; of a link that says the same, always the same one."""
        said = _LINK.pack(uuid.UUID(link.room_id).bytes, link.generation, link.expires_at_ms // 1000)
        return base64.urlsafe_b64encode(said + self._mac(said)).decode().rstrip("=")

    def read(self, text: str) -> Link | None:
        """Returns what a text says that `sign` has made; None for any other."""
        try:
            signed = base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True)
        except (binascii.Error, ValueError):
            return None
        said, mac = signed[: _LINK.size], signed[_LINK.size :]
        if len(said) < _LINK.size or not hmac.compare_digest(mac, self._mac(said)):
            return None
        room, generation, expires_at_s = _LINK.unpack(said)
        return Link(str(uuid.UUID(bytes=room)), generation, expires_at_s * 1000)

    def _mac(self, said: bytes) -> bytes:
        return hmac.digest(self._key, said, hashlib.sha256)[:_MAC_BYTES]
