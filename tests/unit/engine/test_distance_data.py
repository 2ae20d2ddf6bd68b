"""The packed tables are what their script builds, and what the docstrings of distance.py say."""

import importlib.util
import random
import sys
from binascii import a2b_base64
from lzma import decompress
from pathlib import Path

import pytest

from mahjong_engine.distance import HONOUR_CLASS, SUIT_CLASS
from mahjong_engine.distance_data import PACKED
from tests.unit.engine import plain

SCRIPT = Path(__file__).parents[3] / "libs/engine/scripts/build_distance_data.py"
SUIT_KEYS, HONOUR_KEYS = 5**9, 5**7


@pytest.fixture(scope="module")
def script():
    spec = importlib.util.spec_from_file_location("build_distance_data", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def test_shipped_tables_are_what_the_script_builds(script):
    assert decompress(a2b_base64(PACKED)) == script.build()


def test_suits_have_187_classes_and_honours_83():
    assert set(SUIT_CLASS) == set(range(187))
    assert set(HONOUR_CLASS) == set(range(83))


def test_margin_for_carries_looks_like_an_empty_suit():
    assert set(SUIT_CLASS[SUIT_KEYS:]) == {SUIT_CLASS[0]}
    assert len(SUIT_CLASS) == SUIT_KEYS + 5**8
    assert set(HONOUR_CLASS[HONOUR_KEYS:]) == {HONOUR_CLASS[0]}
    assert len(HONOUR_CLASS) == HONOUR_KEYS + 5**6


def test_distance_vectors_of_random_suits_agree_with_a_search_over_all_groups(script):
    _, vectors = script.classify(9, chows=True)
    rng = random.Random("vectors")
    groups = [group for group in plain.GROUPS if group[-1] < 9]
    for _ in range(25):
        counts = [min(4, rng.randrange(6)) if rng.random() < 0.4 else 0 for _ in range(9)]
        key = sum(n * 5**rank for rank, n in enumerate(counts))
        for slot in rng.sample(range(8), 3):
            sets, pairs = divmod(slot, 2)
            assert vectors[SUIT_CLASS[key]][slot] == fewest_missing(counts, groups, sets, pairs)


def fewest_missing(counts, groups, sets, pairs):
    """Tries every choice of groups; three sets at most, since nothing is cut short."""

    def missing(used, first, left):
        if max(used) > 4:
            return 99
        if not left:
            return sum(max(0, n - held) for n, held in zip(used, counts, strict=True))
        return min(
            missing([n + groups[i].count(rank) for rank, n in enumerate(used)], i, left - 1)
            for i in range(first, len(groups))
        )

    heads = [[2 * (rank == head) for rank in range(9)] for head in range(9)] if pairs else [[0] * 9]
    return min(missing(head, 0, sets) for head in heads)
