"""Pages of lists: their sizes, and the tokens by which they go on. Tokens are opaque to clients."""

import base64
import binascii
from hashlib import sha256
from typing import Final

from mahjong_kit.errors import InvalidRequestError
from mahjongplanet.errors.v1.error_reason_pb2 import ErrorReason

PAGE_SIZE_DEFAULT: Final = 20
PAGE_SIZE_MAX: Final = 100

_VERSION: Final = b"\x01"
_CHECK_SIZE: Final = 8


def checked_page_size(page_size: int) -> int:
    """Returns how many entries a page shall have, 20 unless asked otherwise.

    Raises:
        InvalidRequestError: `PAGE_SIZE_OUT_OF_RANGE`.
    """
    if not 0 <= page_size <= PAGE_SIZE_MAX:
        raise InvalidRequestError(ErrorReason.ERROR_REASON_PAGE_SIZE_OUT_OF_RANGE, page_size=page_size)
    return page_size or PAGE_SIZE_DEFAULT


def page_token(position: bytes, scope: str) -> str:
    """Returns the token of a position in a list, safe in URLs.

    Args:
        position: the last entry of a page; at most 64 bytes.
        scope: names the list: the method, the caller and all that the list depends on.
    """
    body = _VERSION + position
    return base64.urlsafe_b64encode(body + _check(body, scope)).decode()


def page_position(token: str, scope: str, size: int) -> bytes:
    """Returns the position that a token stands for.

    The check bytes find garbage and the tokens of other lists. They are no secret, and need not be: whoever makes them
    up moves about in a list that the caller may read.

    Args:
        token: as it came in a request, not empty.
        scope: as it was for `page_token`.
        size: of a position in this list.

    Raises:
        InvalidRequestError: `MALFORMED_PAGE_TOKEN`.
    """
    try:
        raw = base64.b64decode(token.encode("ascii"), altchars=b"-_", validate=True)
    except (UnicodeEncodeError, binascii.Error):
        raise malformed_page_token() from None
    body, check = raw[:-_CHECK_SIZE], raw[-_CHECK_SIZE:]
    if len(body) != 1 + size or body[:1] != _VERSION or check != _check(body, scope):
        raise malformed_page_token()
    if base64.urlsafe_b64encode(raw).decode() != token:  # Bits that pad the last character are not set.
        raise malformed_page_token()
    return body[1:]


def malformed_page_token() -> InvalidRequestError:
    """Returns the error of a page token that the list did not give."""
    return InvalidRequestError(ErrorReason.ERROR_REASON_MALFORMED_PAGE_TOKEN)


def _check(body: bytes, scope: str) -> bytes:
    return sha256(b"mahjong-planet/page/" + scope.encode() + b"\0" + body).digest()[:_CHECK_SIZE]
