"""wall.py: Shuffle 1 of docs/formats/notation.md, byte for byte."""

import hashlib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mahjong_engine import wall
from mahjong_engine.tile import CODES, SORTED_SET
from mahjong_engine.wall import NO_NONCE, SHUFFLE, commitment, shuffle

SEED = bytes(range(80))
NONCES = tuple(bytes([seat]) * 32 for seat in range(4))
SILENT = (NO_NONCE,) * 4

# Fingerprints of walls: SHA-256 of the codes joined by spaces. A changed one breaks every stored match.
PINNED = [
    (SEED, "match-1", NONCES, 0, "fbe950c78781be5f20446b50a14347310c253182a0f2edbb73ebd5ee5e5ffaaa"),
    (SEED, "match-1", NONCES, 1, "624e7d4b883f5884b73d120c4853427ac69a24472fde69b57b38e697a13e4668"),
    (SEED, "match-2", NONCES, 0, "b9a6e988848d0efc9bb6b4ccb6b7680c30d7c1f047b7d51c32bc5d1198d51bbd"),
    (SEED, "match-1", SILENT, 0, "25a56e1ed5117d10504227d76febefa89d4c5ec4f74e4b4ca10be30d165beadc"),
    (bytes(80), "", SILENT, 2**32 - 1, "72e17e2a3d4888d59a406554993a84bf8054db3bacc6f9d7d4443f40c25e53af"),
    (b"\xff" * 80, "東南西北", NONCES[::-1], 15, "6706487d78b4cc70de3b2d4e2763ddd59d9a27d16ecc960d63d111b4ab316eb3"),
]


def straightforward(seed, match_id, nonces, hand):
    """The page's sentences one by one, with a stream that is certainly long enough."""
    context = hashlib.sha256()
    context.update(b"mahjong-planet/hand/1")
    context.update(match_id.encode("utf-8"))
    for nonce in nonces:
        context.update(nonce)
    context.update(bytes([hand >> 24 & 255, hand >> 16 & 255, hand >> 8 & 255, hand & 255]))
    stream = list(hashlib.shake_256(seed + context.digest()).digest(100_000))
    tiles = [code for code in CODES[:34] for _ in range(4)] + list(CODES[34:])
    i = 143
    while i >= 1:
        b = stream.pop(0)
        if b >= 256 - 256 % (i + 1):
            continue
        other = b % (i + 1)
        tiles[i], tiles[other] = tiles[other], tiles[i]
        i -= 1
    return tiles


@pytest.mark.parametrize(("seed", "match_id", "nonces", "hand", "fingerprint"), PINNED)
def test_shuffle_of_pinned_arguments_gives_the_pinned_wall(seed, match_id, nonces, hand, fingerprint):
    codes = [CODES[tile] for tile in shuffle(seed, match_id, nonces, hand)]
    assert hashlib.sha256(" ".join(codes).encode()).hexdigest() == fingerprint
    assert codes == straightforward(seed, match_id, nonces, hand)


def test_shuffle_of_zeros_begins_as_written_down():
    codes = [CODES[tile] for tile in shuffle(bytes(80), "m", SILENT, 0)]
    assert " ".join(codes[:8]) == "4c 3d 9b 1c s4 5d 5c 6d"


@settings(max_examples=60)
@given(st.binary(min_size=80, max_size=80), st.text(max_size=40), st.integers(0, 2**32 - 1))
def test_shuffle_agrees_with_the_straightforward_one_and_keeps_all_tiles(seed, match_id, hand):
    tiles = shuffle(seed, match_id, NONCES, hand)
    assert [CODES[tile] for tile in tiles] == straightforward(seed, match_id, NONCES, hand)
    assert tuple(sorted(tiles)) == SORTED_SET


def test_shuffle_reads_as_much_of_the_stream_as_it_needs(monkeypatch):
    whole = shuffle(SEED, "match-1", NONCES, 0)
    monkeypatch.setattr(wall, "_FIRST_READ", 3)
    assert shuffle(SEED, "match-1", NONCES, 0) == whole


def test_shuffle_puts_every_tile_everywhere_about_equally_often():
    walls = [shuffle(SEED, "fair", SILENT, hand) for hand in range(2_000)]
    for place in (0, 71, 143):
        counts = [sum(tiles[place] == tile for tiles in walls) for tile in range(42)]
        expected = [2_000 * (4 if tile < 34 else 1) / 144 for tile in range(42)]
        chi_square = sum((n - e) ** 2 / e for n, e in zip(counts, expected, strict=True))
        assert chi_square < 80  # 41 degrees of freedom: above 80 once in 3,600 fair shuffles; the walls are fixed


def test_commitment_is_the_hash_of_domain_match_and_seed():
    expected = hashlib.sha256(b"mahjong-planet/commit/1" + b"match-1" + SEED).digest()
    assert commitment("match-1", SEED) == expected
    assert expected.hex() == "ea54dc8ed3b649ddece2875fd8f1e4f69e8b4d1d140fb1381cf97724988aa965"


def test_shuffle_number_is_one():
    assert SHUFFLE == 1


@pytest.mark.parametrize(
    ("seed", "nonces", "hand"),
    [
        (SEED[:-1], NONCES, 0),
        (SEED + b"x", NONCES, 0),
        (SEED, NONCES[:3], 0),
        (SEED, (*NONCES, NO_NONCE), 0),
        (SEED, (*NONCES[:3], b"short"), 0),
        (SEED, NONCES, -1),
        (SEED, NONCES, 2**32),
    ],
)
def test_shuffle_of_wrong_sizes_is_refused(seed, nonces, hand):
    with pytest.raises(ValueError, match=r"expected|range"):
        shuffle(seed, "match-1", nonces, hand)


def test_commitment_to_a_short_seed_is_refused():
    with pytest.raises(ValueError, match="80 bytes expected, not 79"):
        commitment("match-1", SEED[:-1])
