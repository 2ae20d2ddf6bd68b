"""What a computer player reads off a view before it decides."""

from mahjong_engine.action import Action, RobFlower, Win
from mahjong_engine.keys import Keys, tiles_of
from mahjong_engine.rule_set import rule_set
from mahjong_engine.state import Decision
from mahjong_engine.tile import KIND_COUNT, Tile
from mahjong_engine.view import HandView


def open_question(view: HandView) -> Decision:
    """Returns the view's open decision.

    Raises:
        ValueError: the view has none.
    """
    if view.decision is None:
        raise ValueError("the view has no open decision")
    return view.decision


def win_among(options: tuple[Action, ...]) -> Action | None:
    """Returns the win among the options, if there is one; it stands first."""
    return options[0] if isinstance(options[0], Win | RobFlower) else None


def sets_to_make(view: HandView) -> int:
    """Returns the sets that the viewer's concealed tiles have to make."""
    return rule_set(view.rule_set).sets - len(view.melds[view.seat])


def copies_not_held(keys: Keys) -> list[int]:
    """Returns how many copies of each kind are not among the tiles, by tile."""
    left = [4] * KIND_COUNT
    for tile in tiles_of(keys):
        left[tile] -= 1
    return left


def unseen_copies(view: HandView) -> list[int]:
    """Returns how many copies of each kind the viewer does not see: in walls and other hands, by tile."""
    left = copies_not_held(view.keys)
    for pond in view.ponds:
        for tile in pond:
            left[tile] -= 1
    for melds in view.melds:
        for meld in melds:
            for tile in meld.tiles:
                left[tile] -= 1
    return left


def copies(tiles: tuple[Tile, ...], unseen: list[int]) -> int:
    """Returns how many unseen copies the tiles have together."""
    return sum(unseen[tile] for tile in tiles)
