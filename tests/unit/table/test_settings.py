"""Settings: refused before anything starts, and all of them documented."""

from pathlib import Path

import pytest
from pydantic import ValidationError

from mahjong_kit.settings import ServiceSettings
from mahjong_table.settings import TableSettings

PAGE = Path(__file__).parents[3] / "docs" / "operations" / "table.md"
GIVEN = {"service_key": "k" * 32, "database_dsn": "sqlite:////tmp/table.db"}


@pytest.mark.parametrize("pair", ["floor", "computer"])
def test_a_range_that_is_upside_down_is_refused(pair):
    with pytest.raises(ValidationError, match=f"{pair}_min_ms is above {pair}_max_ms"):
        TableSettings(**GIVEN, **{f"{pair}_min_ms": 200, f"{pair}_max_ms": 100})


def test_every_setting_is_in_the_operators_page():
    page = PAGE.read_text()
    own = set(TableSettings.model_fields) - set(ServiceSettings.model_fields)
    assert [name for name in sorted(own) if f"`TABLE_{name.upper()}`" not in page] == []
