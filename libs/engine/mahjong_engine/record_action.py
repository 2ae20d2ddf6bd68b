"""Actions as hand records write them: the decisions of docs/formats/notation.md without their seat."""

from typing import Any, Final

from mahjong_engine.action import (
    CALL_ORIGINAL,
    CHOWS,
    CLAIMED_KONG,
    CONCEALED_KONG,
    CONTINUE,
    DECLINE_ORIGINAL,
    DISCARD,
    DISCARD_AND_CALL,
    PASS,
    PROMOTED_KONG,
    PUNG,
    ROB_FLOWER,
    WIN,
    Action,
    Chow,
    Discard,
    Kong,
)
from mahjong_engine.fields import Fields, malformed, shown
from mahjong_engine.meld import MeldKind
from mahjong_engine.tile import CODES, KIND_COUNT, Tile

_PLAIN: Final[dict[str, Action]] = {
    "continue": CONTINUE,
    "original_call": CALL_ORIGINAL,
    "no_original_call": DECLINE_ORIGINAL,
    "pung": PUNG,
    "win": WIN,
    "pass": PASS,
    "rob_flower": ROB_FLOWER,
}
_NAMES: Final = {type(action): name for name, action in _PLAIN.items()}
_CHOWS: Final[dict[tuple[Tile, ...], Chow]] = {chow.tiles: chow for chows in CHOWS for chow in chows}
_OWN_KONGS: Final = {MeldKind.CONCEALED_KONG.value: CONCEALED_KONG, MeldKind.PROMOTED_KONG.value: PROMOTED_KONG}


def write_action(action: Action) -> dict[str, Any]:
    """Returns an action as a decision without `seat`."""
    if isinstance(action, Discard):
        return {"do": "discard", "tile": CODES[action.tile], "original_call": action.original_call}
    if isinstance(action, Chow):
        return {"do": "chow", "tiles": [CODES[tile] for tile in action.tiles]}
    if not isinstance(action, Kong):
        return {"do": _NAMES[type(action)]}
    if action.kind is MeldKind.CLAIMED_KONG:
        return {"do": "kong", "kind": action.kind.value}
    return {"do": "kong", "kind": action.kind.value, "tile": CODES[action.tile]}


def read_action(fields: Fields, offered: Tile | None) -> Action:
    """Reads an action; `offered` is the open discard, which a claim does not name.

    Raises:
        MalformedError: the decision is malformed.
    """
    name = fields.text("do")
    if name == "discard":
        calls = fields.flag("original_call")
        return (DISCARD_AND_CALL if calls else DISCARD)[_kind(fields)]
    if name in _PLAIN:
        return _PLAIN[name]
    if name == "kong":
        return _read_kong(fields, offered)
    if name == "chow":
        return _read_chow(fields)
    raise malformed(f"no decision is called {shown(name)}")


def _read_kong(fields: Fields, offered: Tile | None) -> Action:
    kind = fields.text("kind")
    if kind in _OWN_KONGS:
        return _OWN_KONGS[kind][_kind(fields)]
    if kind != MeldKind.CLAIMED_KONG.value:
        raise malformed(f"no kong is called {shown(kind)}")
    tile = _kind(fields) if "tile" in fields else offered
    if tile is None or tile >= KIND_COUNT:
        raise malformed("no discard is open that a kong could claim")
    return CLAIMED_KONG[tile]


def _read_chow(fields: Fields) -> Action:
    one_two = fields.tiles("tiles")
    if one_two not in _CHOWS:
        raise malformed("the tiles of a chow are two of a run, in sort order")
    return _CHOWS[one_two]


def _kind(fields: Fields) -> Tile:
    tile = fields.tile("tile")
    if tile >= KIND_COUNT:
        raise malformed(f"{CODES[tile]} is a bonus tile")
    return tile
