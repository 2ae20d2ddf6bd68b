"""The value of a seat that has not won (C48, C51, C52, C55)."""

from mahjong_engine.classical import awards
from mahjong_engine.classical.awards import worth
from mahjong_engine.classical.constants import CAP_HOLDS_FOR_NON_WINNERS, LIMIT
from mahjong_engine.classical.doubles import bonus_items, honour_doubles
from mahjong_engine.classical.groups import held, laid_out, pair_points
from mahjong_engine.kind_bits import HONOUR_BITS
from mahjong_engine.settlement import Item, ScoringCase, SeatScore
from mahjong_engine.tile import DRAGONS, WINDS, Seat, Tile, seat_wind


def score_other(case: ScoringCase, seat: Seat) -> SeatScore:
    """Returns the value of a non-winner with its items."""
    tiles = case.seats[seat]
    wind = seat_wind(seat, case.dealer)
    laid, hidden = laid_out(tiles.melds), held(tiles.concealed)
    items = [*laid.items, *hidden.items]
    if tiles.bonus:
        items += bonus_items(tiles.bonus, wind)
    if hidden.pairs & HONOUR_BITS:
        items += _pairs(hidden.pairs, wind, case.round_wind)
    if laid.concealed_triplets + len(hidden.items) >= 3:
        items.append(awards.THREE_CONCEALED_TRIPLETS)
    if triplets := (laid.triplets | hidden.triplets) & HONOUR_BITS:
        items += honour_doubles(triplets, hidden.pairs & HONOUR_BITS, wind, case.round_wind)
    points, doubles = worth(items)
    value = points << doubles
    return SeatScore(seat, min(value, LIMIT) if CAP_HOLDS_FOR_NON_WINNERS else value, tuple(items))


def _pairs(pairs: int, wind: Tile, round_wind: Tile) -> list[Item]:
    points = [(tile, pair_points(tile, wind, round_wind)) for tile in WINDS + DRAGONS if pairs >> tile & 1]
    return [awards.pair(tile, n) for tile, n in points if n]
