"""The standard shape, sets and a pair: is a hand complete, what completes it, how far is it, what splits does it have?

Every function takes the concealed tiles as `Keys` and the number of sets that they have to make: four (classical) or
five (Taiwanese) less the melds. Nothing here searches; the answers come from the finite tables of distance.py.
"""

from typing import Any, Final, NamedTuple, TypeVar

from mahjong_engine.distance import (
    DISTANCES,
    HONOUR_CODE,
    INCOMPLETE,
    PAIR,
    SUIT_CLASS,
    SUIT_CODE,
    TAILS,
)
from mahjong_engine.keys import UNIT, Keys, kinds_of, remove, size_of
from mahjong_engine.tile import KIND_COUNT, Tile

_T = TypeVar("_T")

_UNITS: Final = tuple(zip(map(Tile, range(KIND_COUNT)), UNIT, strict=True))
_BAMBOO: Final = _UNITS[:9]
_CHARACTERS: Final = _UNITS[9:18]
_CIRCLES: Final = _UNITS[18:27]
_HONOURS: Final = _UNITS[27:]


def is_complete(keys: Keys, sets: int) -> bool:
    """Whether the tiles are exactly that many sets and a pair."""
    bamboo, characters, circles, honours = keys
    return SUIT_CODE[bamboo] + SUIT_CODE[characters] + SUIT_CODE[circles] + HONOUR_CODE[honours] == sets + PAIR


def waits(keys: Keys, sets: int, *, fifth_copies: bool = False) -> tuple[Tile, ...]:
    """Returns the kinds that complete 3 * sets + 1 tiles, sorted.

    A kind that the keys hold four times is left out, since nobody can draw it. With `fifth_copies` it is listed too if
    a fifth copy would complete the tiles, as C54 asks. Copies elsewhere, in own melds too, are never looked at.
    """
    if fifth_copies:
        bits = wait_bits(keys, sets)
        return tuple(tile for tile, _ in _UNITS if bits >> tile & 1)
    bamboo, characters, circles, honours = keys
    codes = SUIT_CODE
    a, b, c, d = codes[bamboo], codes[characters], codes[circles], HONOUR_CODE[honours]
    rest = sets + PAIR - a - b - c - d
    found: list[Tile] = []
    # The code that a suit has to reach is negative unless all other suits are in order.
    if (wanted := rest + a) >= 0:
        found += [tile for tile, unit in _BAMBOO if codes[bamboo + unit] == wanted]
    if (wanted := rest + b) >= 0:
        found += [tile for tile, unit in _CHARACTERS if codes[characters + unit] == wanted]
    if (wanted := rest + c) >= 0:
        found += [tile for tile, unit in _CIRCLES if codes[circles + unit] == wanted]
    if (wanted := rest + d) >= 0:
        found += [tile for tile, unit in _HONOURS if HONOUR_CODE[honours + unit] == wanted]
    return tuple(found)


def wait_bits(keys: Keys, sets: int) -> int:
    """Returns what `waits` does with `fifth_copies`, as bits: bit t stands for tile t."""
    bamboo, characters, circles, honours = keys
    a, b, c, d = SUIT_CODE[bamboo], SUIT_CODE[characters], SUIT_CODE[circles], HONOUR_CODE[honours]
    rest = sets + PAIR - a - b - c - d
    bits = 0
    # As in `waits`; the number of a suit's tiles allows it one code only, so whatever completes a suit reaches that.
    if rest + a >= 0:
        bits |= _BAMBOO_WAITS[bamboo]
    if rest + b >= 0:
        bits |= _CHARACTER_WAITS[characters]
    if rest + c >= 0:
        bits |= _CIRCLE_WAITS[circles]
    if rest + d >= 0:
        bits |= _HONOUR_WAITS[honours]
    return bits


class _Waits(dict[int, int]):
    """The kinds that bring a key of one suit to sets and at most one pair, as bits, found on first sight."""

    _MOST: Final = 1 << 15
    """With so many keys it starts anew: more are possible than are worth their memory."""

    def __init__(self, suit: int) -> None:
        self._tiles = _UNITS[9 * suit : 9 * suit + 9]
        self._codes = HONOUR_CODE if suit == 3 else SUIT_CODE
        self._chows = _CHOWS if suit < 3 else _NO_CHOWS

    def __missing__(self, key: int) -> int:
        if len(self) == self._MOST:
            self.clear()
        sets, rest = divmod(size_of((key, 0, 0, 0)) + 1, 3)
        wanted = sets + PAIR * (rest == 2)
        bits = 0
        for tile, unit in self._tiles if rest != 1 else ():
            if key // unit % 5 < 4:
                completes = self._codes[key + unit] == wanted
            else:
                completes = self._completes_as_fifth(key, unit, wanted)
            bits |= completes << tile
        self[key] = bits
        return bits

    def _completes_as_fifth(self, key: int, unit: int, wanted: int) -> bool:
        """Whether a fifth copy would do: of five copies some are in a triplet or a chow, so take that out."""
        return self._codes[key - 2 * unit] == wanted - 1 or any(
            key // one % 5 and key // two % 5 and self._codes[key - one - two] == wanted - 1
            for one, two in self._chows[unit]
        )


_CHOWS: Final[dict[int, tuple[tuple[int, int], ...]]] = {
    unit: tuple(
        (5 ** (low + (low == rank)), 5 ** (low + 2 - (low + 2 == rank)))
        for low in range(max(rank - 2, 0), min(rank, 6) + 1)
    )
    for rank, unit in enumerate(UNIT[:9])
}
"""What the other two tiles of each chow with a tile add to a key, by what that tile adds."""
_NO_CHOWS: Final[dict[int, tuple[tuple[int, int], ...]]] = dict.fromkeys(UNIT[:9], ())

_BAMBOO_WAITS, _CHARACTER_WAITS, _CIRCLE_WAITS, _HONOUR_WAITS = map(_Waits, range(4))


class Decomposition(NamedTuple):
    """One way to split tiles into sets and a pair."""

    chows: tuple[Tile, ...]
    """Lowest tile of each chow, sorted."""
    triplets: tuple[Tile, ...]
    """Tile of each triplet, sorted."""
    pair: Tile
    chow_bits: int
    """Bit t is set if a chow begins with tile t."""
    triplet_bits: int
    """Bit t is set if there is a triplet of tile t."""


def decompositions(keys: Keys, sets: int) -> tuple[Decomposition, ...]:
    """Returns every distinct way to split the tiles into that many sets and a pair; none if they are not complete."""
    bamboo, characters, circles, honours = keys
    if SUIT_CODE[bamboo] + SUIT_CODE[characters] + SUIT_CODE[circles] + HONOUR_CODE[honours] != sets + PAIR:
        return ()
    found = []
    for b_chows, b_triplets, b_pair, b_chow_bits, b_triplet_bits in _BAMBOO_SPLITS[bamboo]:
        for c_chows, c_triplets, c_pair, c_chow_bits, c_triplet_bits in _CHARACTER_SPLITS[characters]:
            for d_chows, d_triplets, d_pair, d_chow_bits, d_triplet_bits in _CIRCLE_SPLITS[circles]:
                for _, triplets, pair, _, triplet_bits in _HONOUR_SPLITS[honours]:
                    split = (
                        b_chows + c_chows + d_chows,
                        b_triplets + c_triplets + d_triplets + triplets,
                        b_pair + c_pair + d_pair + pair,
                        b_chow_bits | c_chow_bits | d_chow_bits,
                        b_triplet_bits | c_triplet_bits | d_triplet_bits | triplet_bits,
                    )
                    found.append(tuple.__new__(Decomposition, split))
    return tuple(found)


_Split = tuple[tuple[Tile, ...], tuple[Tile, ...], int, int, int]
"""The fields of a decomposition for one suit; its pair is 0 if it has none, so that the splits of four suits add up."""

_SUIT_USES: Final = (
    (),
    ((1, 0, 0),),
    ((2, 0, 0), (0, 0, 1)),
    ((3, 0, 0), (1, 0, 1), (0, 1, 0)),
    ((4, 0, 0), (2, 0, 1), (1, 1, 0)),
)
"""What the copies of a suit's lowest tile can be in, by their count: chows, triplets, pairs."""
_HONOUR_USES: Final = tuple(tuple(use for use in uses if not use[0]) for uses in _SUIT_USES)


_known: Final[dict[Any, Any]] = {}


def _shared(value: _T) -> _T:
    """Returns the one object of this value: keys have many groups in common, and what is shared stays in cache."""
    found: _T = _known.setdefault(value, value)
    return found


class _Splits(dict[int, tuple[_Split, ...]]):
    """Every split of a key of one suit that is made of sets and at most one pair, found on first sight."""

    def __init__(self, suit: int) -> None:
        self[0] = (((), (), 0, 0, 0),)
        self._first = 9 * suit
        self._codes, self._uses = (HONOUR_CODE, _HONOUR_USES) if suit == 3 else (SUIT_CODE, _SUIT_USES)

    def __missing__(self, key: int) -> tuple[_Split, ...]:
        tile, unit, rest = Tile(self._first), 1, key
        while not rest % 5:
            tile, unit, rest = Tile(tile + 1), 5 * unit, rest // 5
        count, most_chows, bit = rest % 5, min(rest // 5 % 5, rest // 25 % 5), 1 << tile
        found: list[_Split] = []
        for chows, triplets, pairs in self._uses[count]:
            # Each chow takes one of the next two ranks as well: 5 and 25 units.
            left = key - (count + 30 * chows) * unit
            if chows > most_chows or self._codes[left] >= (PAIR if pairs else INCOMPLETE):
                continue
            for split in self[left]:
                more_chows, more_triplets, pair, chow_bits, triplet_bits = split
                if chows:
                    more_chows, chow_bits = _shared((tile,) * chows + more_chows), _shared(chow_bits | bit)
                if triplets:
                    more_triplets, triplet_bits = _shared((tile, *more_triplets)), _shared(triplet_bits | bit)
                found.append((more_chows, more_triplets, tile if pairs else pair, chow_bits, triplet_bits))
        splits = self[key] = tuple(sorted(found))
        return splits


_BAMBOO_SPLITS, _CHARACTER_SPLITS, _CIRCLE_SPLITS, _HONOUR_SPLITS = map(_Splits, range(4))


def shanten(keys: Keys, sets: int) -> int:
    """Returns how many tiles the hand is from ready: -1 complete, 0 ready; never counts on a fifth copy."""
    bamboo, characters, circles, honours = keys
    tail = TAILS[honours][SUIT_CLASS[circles]]
    return DISTANCES[sets][SUIT_CLASS[bamboo]][SUIT_CLASS[characters]][tail] - 1


def useful_tiles(keys: Keys, sets: int) -> tuple[Tile, ...]:
    """Returns the kinds that lower the shanten of 3 * sets + 1 tiles, sorted; never a kind held four times."""
    bamboo, characters, circles, honours = keys
    classes, rows = SUIT_CLASS, DISTANCES[sets]
    a, b, c = classes[bamboo], classes[characters], classes[circles]
    row, tail = rows[a][b], TAILS[honours][c]
    wanted = row[tail] - 1
    beside = rows[b]
    found = [tile for tile, unit in _BAMBOO if beside[classes[bamboo + unit]][tail] == wanted]
    beside = rows[a]
    found += [tile for tile, unit in _CHARACTERS if beside[classes[characters + unit]][tail] == wanted]
    tails = TAILS[honours]
    found += [tile for tile, unit in _CIRCLES if row[tails[classes[circles + unit]]] == wanted]
    found += [tile for tile, unit in _HONOURS if row[TAILS[honours + unit][c]] == wanted]
    return tuple(found)


def shanten_after_discards(keys: Keys, sets: int) -> tuple[tuple[Tile, int], ...]:
    """Returns each kind held, sorted, with the shanten of the tiles without one copy of it."""
    return tuple((tile, shanten(remove(keys, tile), sets)) for tile in kinds_of(keys))


def best_discards(keys: Keys, sets: int) -> tuple[int, tuple[tuple[Tile, tuple[Tile, ...]], ...]]:
    """Returns the lowest shanten that a discard from 3 * sets + 2 tiles leaves, and all discards that leave it.

    The discards are sorted, each with the useful tiles of what is left.
    """
    after = shanten_after_discards(keys, sets)
    best = min(distance for _, distance in after)
    return best, tuple((tile, useful_tiles(remove(keys, tile), sets)) for tile, distance in after if distance == best)
