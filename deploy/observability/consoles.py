"""Dashboards as Prometheus serves them: pages of its console, for those who run no Grafana."""

import json
from html import escape
from pathlib import Path

from deploy.observability.boards import BOARDS, RANGE, Board

_PAGE, _ALERTS = ((Path(__file__).parent / name).read_text() for name in ("console.html", "alerts.html"))
_RANGE_SHOWN = "1m"


def console(board: Board) -> str:
    """Returns the page of a dashboard."""
    panels = [
        {
            "title": panel.title,
            "note": panel.note,
            "unit": panel.unit,
            # Prometheus fills pages like templates of its own: labels in legends stand in other brackets.
            "lines": [[query.replace(RANGE, _RANGE_SHOWN), _bracketed(legend)] for query, legend in panel.lines],
        }
        for panel in board.panels
    ]
    page = _PAGE.replace("__TITLE__", escape(board.title)).replace("__LINKS__", _links())
    return page.replace("__PANELS__", json.dumps(panels).replace("</", "<\\/"))


def alerts() -> str:
    """Returns the page of all alerts, which Prometheus's own is at another path in each of its versions."""
    return _ALERTS.replace("__LINKS__", _links())


def _links() -> str:
    titles = {**{board.name: board.title.partition(": ")[2] for board in BOARDS}, "alerts": "alerts"}
    return "".join(f'<a href="{name}.html">{escape(title)}</a>' for name, title in titles.items())


def _bracketed(legend: str) -> str:
    return legend.replace("{{", "[").replace("}}", "]")
