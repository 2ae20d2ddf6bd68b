"""Dashboards as Grafana reads them."""

import json
from typing import Any

from deploy.observability.boards import RANGE, Board, Panel

_COLUMNS = 3
_WIDTH, _HEIGHT = 24 // _COLUMNS, 8
_SOURCE = {"type": "prometheus", "uid": "${source}"}


def dashboard(board: Board) -> str:
    """Returns the JSON of a dashboard."""
    model = {
        "uid": f"mahjong-{board.name}",
        "title": board.title,
        "tags": ["mahjong-planet"],
        "schemaVersion": 39,
        "editable": False,
        "time": {"from": "now-1h", "to": "now"},
        "refresh": "10s",
        "templating": {
            "list": [{"name": "source", "label": "Prometheus", "type": "datasource", "query": "prometheus"}],
        },
        "panels": [_panel(number, panel) for number, panel in enumerate(board.panels)],
    }
    return json.dumps(model, indent=1) + "\n"


def _panel(number: int, panel: Panel) -> dict[str, Any]:
    row, column = divmod(number, _COLUMNS)
    return {
        "id": number + 1,
        "type": "timeseries",
        "title": panel.title,
        "description": panel.note,
        "datasource": _SOURCE,
        "gridPos": {"x": column * _WIDTH, "y": row * _HEIGHT, "w": _WIDTH, "h": _HEIGHT},
        "fieldConfig": {"defaults": {"unit": panel.unit, "min": 0}, "overrides": []},
        "options": {"legend": {"displayMode": "list", "placement": "bottom"}, "tooltip": {"mode": "multi"}},
        "targets": [
            {
                "refId": chr(ord("A") + each),
                "datasource": _SOURCE,
                "expr": query.replace(RANGE, "$__rate_interval"),
                "legendFormat": legend,
            }
            for each, (query, legend) in enumerate(panel.lines)
        ],
    }
