"""The wall: shuffle 1 and the commitment to it (docs/formats/notation.md, "Shuffle 1").

Part of every stored record: a change of one byte here needs a new shuffle number beside the old one.
"""

from collections.abc import Callable, Iterator, Sequence
from hashlib import sha256, shake_256
from itertools import chain
from typing import Final

from mahjong_engine.tile import SORTED_SET, Tile

SHUFFLE: Final = 1
"""Number of this shuffle, stored in records."""

SERVER_SEED_SIZE: Final = 80
NONCE_SIZE: Final = 32
NO_NONCE: Final = bytes(NONCE_SIZE)
"""The nonce of a computer or silent seat."""

_COMMIT: Final = b"mahjong-planet/commit/1"
_HAND: Final = b"mahjong-planet/hand/1"
_FIRST_READ: Final = 256
"""Bytes of the stream to take at first: 143 swaps skip about 46 bytes, so that one read is nearly always enough."""


def commitment(match_id: str, server_seed: bytes) -> bytes:
    """Returns the 32 bytes that are published before any seat gives a nonce.

    Raises:
        ValueError: the seed does not have 80 bytes.
    """
    _check_size("server seed", server_seed, SERVER_SEED_SIZE)
    return sha256(_COMMIT + match_id.encode() + server_seed).digest()


def shuffle(server_seed: bytes, match_id: str, nonces: Sequence[bytes], hand: int) -> tuple[Tile, ...]:
    """Returns the wall of one hand, 144 tiles in wall order; the same arguments give the same wall for ever.

    Args:
        server_seed: the 80 bytes that the commitment was made of.
        match_id: id of the match.
        nonces: one of 32 bytes by each seat, 0-3.
        hand: number of the hand in its match, from 0.

    Raises:
        ValueError: a seed or nonce of another size, not four nonces, or a hand number outside 0 to 2**32 - 1.
    """
    _check_size("server seed", server_seed, SERVER_SEED_SIZE)
    if len(nonces) != 4:
        raise ValueError(f"4 nonces expected, not {len(nonces)}")
    for nonce in nonces:
        _check_size("nonce", nonce, NONCE_SIZE)
    if not 0 <= hand < 1 << 32:
        raise ValueError(f"hand number {hand} is out of range")
    context = sha256(_HAND + match_id.encode() + b"".join(nonces) + hand.to_bytes(4, "big")).digest()
    stream = _stream(server_seed + context)
    wall = list(SORTED_SET)
    for i in range(len(wall) - 1, 0, -1):
        size = i + 1
        bound = 256 - 256 % size
        for byte in stream:
            if byte < bound:
                break
        j = byte % size
        wall[i], wall[j] = wall[j], wall[i]
    return tuple(wall)


def _stream(source: bytes) -> Iterator[int]:
    """Returns the bytes of SHAKE-256 without end."""
    digest = shake_256(source).digest
    return chain(digest(_FIRST_READ), _rest(digest, _FIRST_READ))


def _rest(digest: Callable[[int], bytes], start: int) -> Iterator[int]:
    while True:
        yield from digest(2 * start)[start:]
        start *= 2


def _check_size(name: str, value: bytes, size: int) -> None:
    if len(value) != size:
        raise ValueError(f"{name} of {size} bytes expected, not {len(value)}")
