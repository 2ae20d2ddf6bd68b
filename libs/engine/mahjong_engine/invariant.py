"""What is true of every hand, whatever is played; simulations and tests ask after it."""

from mahjong_engine.keys import size_of, tiles_of
from mahjong_engine.settlement import WinSource
from mahjong_engine.state import SEATS, HandState
from mahjong_engine.tile import SORTED_SET, Tile

_ROBBED = {WinSource.ROBBED_PROMOTED_KONG, WinSource.ROBBED_CONCEALED_KONG}


def broken_invariants(state: HandState) -> tuple[str, ...]:
    """Returns what is wrong with a state, as texts for people; nothing ever should be."""
    result = state.result
    checks = (
        (all_tiles(state) == SORTED_SET, "the 144 tiles are not all there"),
        (state.concealed_counts == tuple(map(size_of, state.keys)), "a seat holds more or fewer tiles than it shows"),
        (result is None or not sum(result.changes), "the changes do not sum to zero"),
        (
            result is None or sum(result.scores_after) == sum(state.deal.scores),
            "the scores after the hand do not sum to those before",
        ),
    )
    return tuple(message for holds, message in checks if not holds)


def all_tiles(state: HandState) -> tuple[Tile, ...]:
    """Returns every tile of the hand, wherever it lies, sorted."""
    wall = state.deal.wall
    places = (*range(state.live_front, state.live_end), *state.deal.rule_set.reserve(state.reserve_taken))
    tiles = [wall[place] for place in places]
    for seat in SEATS:
        tiles += tiles_of(state.keys[seat]) + state.bonus[seat] + state.ponds[seat]
        tiles += (tile for meld in state.melds[seat] for tile in meld.tiles)
    if state.result is not None and any(win.source in _ROBBED for win in state.result.wins):
        assert state.offered is not None
        tiles.append(state.offered)  # several may have won it, so that it is in nobody's hand
    return tuple(sorted(tiles))
