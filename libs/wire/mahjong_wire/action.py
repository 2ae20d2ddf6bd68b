"""Actions, options and melds on the wire."""

from collections.abc import Iterable
from typing import Final

from mahjong_engine.action import (
    CALL_ORIGINAL,
    CONTINUE,
    DECLINE_ORIGINAL,
    PASS,
    PUNG,
    ROB_FLOWER,
    WIN,
    Action,
    Chow,
    Discard,
    Kong,
)
from mahjong_engine.meld import KONGS, Meld, MeldKind
from mahjong_engine.tile import CODES, MalformedTileError, Tile, parse_tile
from mahjong_kit.errors import InvalidRequestError, invalid_field
from mahjong_wire.words import MELD_KINDS
from mahjongplanet.errors.v1.error_reason_pb2 import ErrorReason
from mahjongplanet.game.v1 import terms_pb2 as game

_PLAIN: Final[dict[game.ActionKind.ValueType, Action]] = {
    game.ACTION_KIND_CONTINUE: CONTINUE,
    game.ACTION_KIND_ORIGINAL_CALL: CALL_ORIGINAL,
    game.ACTION_KIND_NO_ORIGINAL_CALL: DECLINE_ORIGINAL,
    game.ACTION_KIND_PUNG: PUNG,
    game.ACTION_KIND_WIN: WIN,
    game.ACTION_KIND_ROB_FLOWER: ROB_FLOWER,
    game.ACTION_KIND_PASS: PASS,
}
_KINDS: Final = {type(action): kind for kind, action in _PLAIN.items()}
_KONG_KINDS: Final = {MELD_KINDS[kind]: kind for kind in KONGS}
_FIELDS: Final = {
    game.ACTION_KIND_DISCARD: {"kind", "tile", "original_call"},
    game.ACTION_KIND_KONG: {"kind", "tile", "kong_kind"},
    game.ACTION_KIND_CHOW: {"kind", "tiles"},
}
"""Fields that an action of a kind may set; the others have their kind only."""


def action_to_proto(action: Action) -> game.Action:
    """Returns an action as the wire has it."""
    match action:
        case Discard(tile, original_call):
            return game.Action(kind=game.ACTION_KIND_DISCARD, tile=CODES[tile], original_call=original_call)
        case Kong(kind, tile):
            return game.Action(kind=game.ACTION_KIND_KONG, tile=CODES[tile], kong_kind=MELD_KINDS[kind])
        case Chow(tiles):
            return game.Action(kind=game.ACTION_KIND_CHOW, tiles=codes(tiles))
    return game.Action(kind=_KINDS[type(action)])


def action_from_proto(action: game.Action) -> Action:
    """Returns the action of a request.

    Raises:
        InvalidRequestError: `INVALID_FIELD` or `MALFORMED_TILE`.
    """
    kind = action.kind
    if kind == game.ACTION_KIND_UNSPECIFIED or kind not in game.ActionKind.values():
        raise invalid_field("action.kind", "not stated" if kind == 0 else "not known")
    for field, _ in action.ListFields():
        if field.name not in _FIELDS.get(kind, {"kind"}):
            raise invalid_field(f"action.{field.name}", "not a part of this kind of action")
    if kind == game.ACTION_KIND_DISCARD:
        return Discard(_tile("action.tile", action.tile), action.original_call)
    if kind == game.ACTION_KIND_KONG:
        return Kong(_kong_kind(action.kong_kind), _tile("action.tile", action.tile))
    if kind == game.ACTION_KIND_CHOW:
        return _chow(action.tiles)
    return _PLAIN[kind]


def meld_to_proto(meld: Meld) -> game.Meld:
    """Returns a meld as the wire has it."""
    return game.Meld(
        kind=MELD_KINDS[meld.kind],
        tiles=codes(meld.tiles),
        claimed_tile="" if meld.claimed is None else CODES[meld.claimed],
        from_seat=meld.from_seat,
    )


def codes(tiles: Iterable[Tile]) -> list[str]:
    """Returns the codes of tiles."""
    return [CODES[tile] for tile in tiles]


def _chow(tiles: Iterable[str]) -> Chow:
    parsed = tuple(_tile("action.tiles", code) for code in tiles)
    if len(parsed) != 2 or parsed[0] > parsed[1]:
        raise invalid_field("action.tiles", "not two tiles in sort order")
    return Chow((parsed[0], parsed[1]))


def _kong_kind(value: game.MeldKind.ValueType) -> MeldKind:
    kind = _KONG_KINDS.get(value)
    if kind is None:
        raise invalid_field("action.kong_kind", "no kind of kong")
    return kind


def _tile(field: str, code: str) -> Tile:
    try:
        return parse_tile(code)
    except MalformedTileError as error:
        raise InvalidRequestError(
            ErrorReason.ERROR_REASON_MALFORMED_TILE, str(error), field=field, tile=code[:16]
        ) from error
