"""Tables in virtual time."""

import pytest

from tests.unit.table.table_kit import open_table, stacked, stacked_walls


@pytest.fixture
def deal(monkeypatch):
    """Opens a table, deals wished hands (by wind, East is seat 0) and gives it as its first hand begins."""

    def opened(
        rules, *hands, people=(0, 1, 2, 3), clock=None, kind=None, length=None, floor_ms=0, credit_max_ms=0, **wishes
    ):
        stacked_walls(monkeypatch, stacked(rules, hands, **wishes))
        wanted = {name: value for name, value in (("clock", clock), ("kind", kind), ("length", length)) if value}
        table = open_table(
            rules, people=people, nonce_window_ms=0, floor_ms=floor_ms, credit_max_ms=credit_max_ms, **wanted
        )
        table.run()
        return table

    return opened
