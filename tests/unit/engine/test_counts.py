"""Exact counts over all hands: they test every entry of the shipped tables at once.

Hands are counted, not listed: a suit's keys are counted by what the tables say of them and by size, and suits are put
together by multiplication. A count by size is a polynomial, held as one integer with `SLOT` bits a coefficient.
"""

from collections import Counter
from functools import cache
from itertools import product
from math import comb

import pytest

from mahjong_engine.distance import DISTANCES, HONOUR_CLASS, INCOMPLETE, SUIT_CLASS, SUIT_CODE, TAILS
from mahjong_engine.shape import decompositions, is_complete

SLOT = 96
MOST = 17
SUIT_KEYS, HONOUR_KEYS = 5**9, 5**7
DISTINCT = (1, 1, 1, 1, 1)
DEALS = tuple(comb(4, held) for held in range(5))

# Shanten from -1 up, over all distinct hands of the standard shape.
DISTRIBUTIONS = {
    13: [
        *(0, 54_747_045, 2_318_210_748, 18_521_094_520, 40_311_144_206, 28_348_596_450, 8_048_161_086, 885_943_636),
        *(33_398_598, 299_711),
    ],
    14: [
        *(11_498_658, 1_407_507_075, 24_534_145_015, 104_744_544_266, 131_618_303_547, 53_783_938_428),
        *(9_718_513_527, 685_882_185, 16_090_769, 81_030),
    ],
    16: [
        *(0, 659_058_879, 33_994_930_669, 350_872_739_642, 1_064_074_175_640, 1_109_326_755_501, 444_474_109_303),
        *(79_704_627_522, 5_912_512_259, 161_454_845, 1_225_290, 1_000),
    ],
    17: [
        *(118_856_487, 16_871_300_508, 358_976_372_276, 2_002_323_573_105, 3_606_565_893_365, 2_283_036_756_384),
        *(546_532_601_859, 62_625_088_172, 2_897_788_587, 45_737_457, 160_300),
    ],
}
TOTALS = {13: 98_521_596_000, 14: 326_520_504_500, 16: 3_089_181_590_550, 17: 8_879_994_128_500}
MEANS = {13: 3.785806, 14: 3.315576, 16: 4.223197, 17: 3.733550}
WINNING_DEALS = {14: 11_353_128_141_498, 17: 1_554_490_175_889_888}
SPLIT_COUNTS = {
    4: {1: 11_419_215, 2: 77_025, 3: 2_370, 4: 48},
    5: {1: 117_267_810, 2: 1_513_341, 3: 71_967, 4: 3_279, 5: 72, 6: 18},
}
WHOLE_SUITS = {0: (1, 9), 1: (16, 135), 2: (127, 996), 3: (627, 4_475), 4: (2_098, 13_259), 5: (4_898, 26_414)}
WHOLE_HONOURS = {0: (1, 7), 1: (7, 42), 2: (21, 105), 3: (35, 140), 4: (35, 105), 5: (21, 42)}


def sizes(ranks: int) -> list[int]:
    """Number of tiles of every key."""
    found = [0]
    for _ in range(ranks):
        found = [held + size for held in range(5) for size in found]
    return found


def class_polynomials(classes: bytes, ranks: int, weights: tuple[int, ...]) -> dict[int, int]:
    """Weight of the keys of every class, by size."""
    weight = [1]
    for _ in range(ranks):
        weight = [one * other for one in weights for other in weight]
    total: Counter[tuple[int, int, int]] = Counter(zip(classes, sizes(ranks), weight, strict=True))
    polynomials: Counter[int] = Counter()
    for (number, size, each), keys in total.items():
        if size <= MOST:
            polynomials[number] += keys * each << SLOT * size
    return polynomials


@cache
def suits_and_tails(weights: tuple[int, ...]) -> tuple[dict[int, int], dict[int, int]]:
    """Polynomials of a suit by class, and of a suit and the honours by merged class."""
    suit = class_polynomials(SUIT_CLASS[:SUIT_KEYS], 9, weights)
    honours = class_polynomials(HONOUR_CLASS[:HONOUR_KEYS], 7, weights)
    key_of = {number: key for key, number in enumerate(HONOUR_CLASS[:HONOUR_KEYS])}
    tails: Counter[int] = Counter()
    for one, other in product(suit, honours):
        tails[TAILS[key_of[other]][one]] += suit[one] * honours[other]
    return suit, tails


@cache
def distribution(size: int, weights: tuple[int, ...]) -> list[int]:
    """Weight of all hands of a size by shanten, from -1 up."""
    suit, tails = suits_and_tails(weights)
    pairs: Counter[bytes] = Counter()
    for one, other in product(suit, suit):
        pairs[DISTANCES[size // 3][one][other]] += suit[one] * suit[other]
    by_distance: Counter[int] = Counter()
    for row, tail in product(pairs, tails):
        by_distance[row[tail]] += pairs[row] * tails[tail]
    weight = [by_distance[distance] >> SLOT * size & (1 << SLOT) - 1 for distance in range(max(by_distance) + 1)]
    while not weight[-1]:
        weight.pop()
    return weight


@pytest.mark.parametrize("size", [13, 14, 16, 17])
def test_shanten_of_all_distinct_hands_is_distributed_as_counted_elsewhere(size):
    found = distribution(size, DISTINCT)
    assert found == DISTRIBUTIONS[size]
    assert sum(found) == TOTALS[size]


@pytest.mark.parametrize("size", [13, 14, 16, 17])
def test_mean_shanten_of_all_deals_is_as_counted_elsewhere(size):
    found = distribution(size, DEALS)
    assert sum(found) == comb(136, size)
    assert round(sum((distance - 1) * n for distance, n in enumerate(found)) / sum(found), 6) == MEANS[size]


@pytest.mark.parametrize("size", [14, 17])
def test_winning_deals_are_as_counted_elsewhere(size):
    assert distribution(size, DEALS)[0] == WINNING_DEALS[size]


@cache
def whole_keys(suit: int) -> dict[tuple[int, int], list[int]]:
    """Every key of a suit (3: honours) that is exactly some sets and at most one pair, by sets and pairs."""
    found: dict[tuple[int, int], list[int]] = {(sets, pairs): [] for sets in range(6) for pairs in (0, 1)}
    ranks = 7 if suit == 3 else 9
    for key, size in enumerate(sizes(ranks)):
        sets, over = divmod(size, 3)
        if size <= MOST and over != 1:
            rest = [0, 0, 0, 0]
            rest[suit] = key
            if not over:  # the pair lies elsewhere
                rest[3 - suit] += 2
            if is_complete((rest[0], rest[1], rest[2], rest[3]), sets):
                found[sets, over // 2].append(key)
    return found


def test_whole_suits_and_honours_are_as_many_as_counted_elsewhere():
    for suit, expected in ((0, WHOLE_SUITS), (1, WHOLE_SUITS), (2, WHOLE_SUITS), (3, WHOLE_HONOURS)):
        found = whole_keys(suit)
        assert {sets: (len(found[sets, 0]), len(found[sets, 1])) for sets in range(6)} == expected


@cache
def split_counts(suit: int) -> Counter[tuple[int, int, int]]:
    """How many keys of a suit have so many sets, pairs and splits."""
    counts: Counter[tuple[int, int, int]] = Counter()
    for (sets, pairs), keys in whole_keys(suit).items():
        for key in keys:
            hand = [0, 0, 0, 0]
            hand[suit] = key
            if not pairs:
                hand[3 - suit] += 2
            counts[sets, pairs, len(decompositions((hand[0], hand[1], hand[2], hand[3]), sets))] += 1
    return counts


@pytest.mark.parametrize("sets", [4, 5])
def test_winning_hands_by_number_of_decompositions_are_as_counted_elsewhere(sets):
    hands: Counter[tuple[int, int, int]] = Counter({(0, 0, 1): 1})
    for suit in range(4):
        more: Counter[tuple[int, int, int]] = Counter()
        for (s, p, n), (s2, p2, n2) in product(hands, split_counts(suit)):
            if s + s2 <= sets and p + p2 <= 1:
                more[s + s2, p + p2, n * n2] += hands[s, p, n] * split_counts(suit)[s2, p2, n2]
        hands = more
    found = {n: hands[s, p, n] for s, p, n in hands if (s, p) == (sets, 1)}
    assert found == SPLIT_COUNTS[sets]
    assert sum(n * count for n, count in found.items()) == {4: 11_580_567, 5: 120_523_977}[sets]


def test_codes_name_exactly_the_whole_keys():
    size = sizes(9)
    named = {key for key, code in enumerate(SUIT_CODE[:SUIT_KEYS]) if code != INCOMPLETE and size[key] <= MOST}
    whole = {key for keys in whole_keys(0).values() for key in keys}
    assert whole <= named
    # Five sets and useless tiles beside them share a class with five sets; such a suit leaves no room for a pair.
    assert all(size[key] in (16, 17) and SUIT_CODE[key] == 5 for key in named - whole)


def test_tails_are_the_same_for_all_honours_of_a_class():
    rows: dict[int, set[int]] = {}
    for key, number in enumerate(HONOUR_CLASS):
        rows.setdefault(number, set()).add(id(TAILS[key]))
    assert len(TAILS) == len(HONOUR_CLASS)
    assert {len(found) for found in rows.values()} == {1}
