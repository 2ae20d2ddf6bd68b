"""Every constant that the rules pages name exists once, under its name."""

import re
from pathlib import Path

import pytest

from mahjong_engine.classical import constants as classical
from mahjong_engine.taiwanese import constants as taiwanese

RULES = Path(__file__).parents[3] / "docs" / "rules"


@pytest.mark.parametrize(("page", "module"), [("classical", classical), ("taiwanese", taiwanese)])
def test_every_constant_of_a_rules_page_has_its_name_here(page, module):
    text = (RULES / f"{page}.md").read_text()
    section = text.partition("Named constants\n")[2].partition("\n## ")[0]
    names = re.findall(r"^\| `([A-Z_]+)` \|", section, re.MULTILINE)
    assert len(names) > 30
    assert [name for name in names if not hasattr(module, name)] == []
