"""The examples on the engine's pages give what the pages say."""

import doctest
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]


@pytest.mark.parametrize("page", ["libs/engine/README.md", "docs/engine.md", "docs/scoring.md"])
def test_examples_of_a_page_give_what_it_says(page):
    results = doctest.testfile(str(ROOT / page), module_relative=False)
    assert results.attempted > 10
    assert results.failed == 0
