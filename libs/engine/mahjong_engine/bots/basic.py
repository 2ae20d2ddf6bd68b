"""The level `basic`: never farther from ready than needed, and of the tiles that it can spare the loneliest goes first.

It looks at its own tiles and does not follow ponds and melds: that is left to the stronger level.
"""

from typing import Final

from mahjong_engine.action import (
    CALL_ORIGINAL,
    CONTINUE,
    DISCARD,
    DISCARD_AND_CALL,
    PASS,
    PUNG,
    Action,
    CallOriginal,
    Chow,
    Kong,
    Pung,
)
from mahjong_engine.bots.sight import copies, copies_not_held, open_question, sets_to_make, win_among
from mahjong_engine.keys import Keys, count_of, remove
from mahjong_engine.meld import MeldKind
from mahjong_engine.shape import shanten, shanten_after_discards, useful_tiles
from mahjong_engine.state import Phase
from mahjong_engine.tile import KIND_COUNT, Tile
from mahjong_engine.view import HandView

CALL_COPIES_MIN: Final = 2
"""Winning tiles not held that make an Original Call worth its locked hand."""

CENTRALITY: Final = tuple(min(tile % 9, 8 - tile % 9) + 1 if tile < 27 else 0 for tile in range(KIND_COUNT))
"""How easily a single tile becomes part of a set: honours least, fives most."""


def decide(view: HandView) -> Action:
    """Returns the answer to the view's open decision."""
    decision = open_question(view)
    options = decision.options
    if win := win_among(options):
        return win
    if decision.phase in (Phase.TURN, Phase.TURN_AFTER_CLAIM):
        return _decide_turn(view, options)
    if decision.phase is Phase.CLAIM:
        return _decide_claim(view, options)
    if decision.phase is Phase.KONG_ROUND:
        return _free_kong(view, options, shanten(view.keys, sets_to_make(view))) or CONTINUE
    return CALL_ORIGINAL if isinstance(options[0], CallOriginal) else PASS


def _decide_turn(view: HandView, options: tuple[Action, ...]) -> Action:
    if len(options) == 1:
        return options[0]
    sets = sets_to_make(view)
    after = shanten_after_discards(view.keys, sets)
    distance = min(left for _, left in after)
    if kong := _free_kong(view, options, distance):
        return kong
    spare = [tile for tile, left in after if left == distance]
    tile = min(spare, key=lambda tile: (CENTRALITY[tile], count_of(view.keys, tile)))
    call = DISCARD_AND_CALL[tile]
    return call if call in options and _may_lock(remove(view.keys, tile), sets) else DISCARD[tile]


def _may_lock(keys: Keys, sets: int) -> bool:
    """Whether the tiles are ready with enough winning tiles for an Original Call."""
    return shanten(keys, sets) == 0 and copies(useful_tiles(keys, sets), copies_not_held(keys)) >= CALL_COPIES_MIN


def _free_kong(view: HandView, options: tuple[Action, ...], distance: int) -> Action | None:
    """Returns a kong that leaves the hand no farther from ready than it is anyway."""
    sets = sets_to_make(view)
    for option in options:
        if isinstance(option, Kong):
            promoted = option.kind is MeldKind.PROMOTED_KONG
            rest = take_out(view.keys, (option.tile,) * (1 if promoted else 4))
            if shanten(rest, sets if promoted else sets - 1) <= distance:
                return option
    return None


def _decide_claim(view: HandView, options: tuple[Action, ...]) -> Action:
    """Claims what brings the hand nearer to ready, or a kong that costs nothing."""
    assert view.offered is not None
    sets = sets_to_make(view) - 1
    best, choice = shanten(view.keys, sets + 1), PASS
    for option in options:
        if isinstance(option, Kong):
            if shanten(take_out(view.keys, (option.tile,) * 3), sets) <= best:
                return option
        elif isinstance(option, Pung | Chow):
            tiles = (view.offered,) * 2 if option == PUNG else option.tiles  # type: ignore[union-attr]
            if (distance := shanten(take_out(view.keys, tiles), sets)) < best:
                best, choice = distance, option  # type: ignore[assignment]
    return choice


def take_out(keys: Keys, tiles: tuple[Tile, ...]) -> Keys:
    """Returns the keys without the tiles."""
    for tile in tiles:
        keys = remove(keys, tile)
    return keys
