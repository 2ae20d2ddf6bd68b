"""Dashboards as Prometheus serves them: pages of its console, for those who run no Grafana."""

import json
from html import escape
from pathlib import Path

from deploy.observability.boards import BOARDS, RANGE, Board

_PAGE = (Path(__file__).parent / "console.html").read_text()
_RANGE_SHOWN = "1m"


def console(board: Board) -> str:
    """Returns the page of a dashboard."""
    links = "".join(f'<a href="{each.name}.html">{escape(each.title.partition(": ")[2])}</a>' for each in BOARDS)
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
    page = _PAGE.replace("__TITLE__", escape(board.title)).replace("__LINKS__", links)
    return page.replace("__PANELS__", json.dumps(panels).replace("</", "<\\/"))


def _bracketed(legend: str) -> str:
    return legend.replace("{{", "[").replace("}}", "]")
