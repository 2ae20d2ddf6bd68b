"""Pages lead somewhere: every relative link, and every file of tests that they name, is there."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
PAGES = sorted(
    [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("loadtests/**/*.md"), ROOT / "clients/web/README.md"]
)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_a_page_leads_only_to_what_is_there(page):
    text = page.read_text()
    for link in re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", text):
        if "://" not in link:
            assert (page.parent / link).exists(), link
    for path in re.findall(r"`(tests/[\w/.-]+)`", text):
        assert (ROOT / path).exists(), path
