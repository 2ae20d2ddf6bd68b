"""Actions as the log writes them: as hand records do, but a claimed kong names its tile."""

from typing import Any

from mahjong_engine.action import Action, Kong
from mahjong_engine.fields import Fields
from mahjong_engine.record_action import read_action, write_action
from mahjong_engine.tile import CODES


def action_json(action: Action) -> dict[str, Any]:
    """Returns an action for the log."""
    written = write_action(action)
    return written | {"tile": CODES[action.tile]} if isinstance(action, Kong) else written


def action_from_json(value: dict[str, Any]) -> Action:
    """Returns the action that `action_json` wrote."""
    return read_action(Fields(value, "answer"), None)
