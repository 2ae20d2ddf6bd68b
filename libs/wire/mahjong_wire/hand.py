"""A hand on the wire, as one viewer sees it."""

from mahjong_engine.state import SEATS
from mahjong_engine.tile import CODES, Seat, seat_wind
from mahjong_engine.view import HandView
from mahjong_wire.action import codes, meld_to_proto
from mahjongplanet.table.v1 import event_pb2 as pb


def hand_to_proto(shown: HandView) -> pb.HandSnapshot:
    """Returns a hand as its viewer sees it."""
    return pb.HandSnapshot(
        hand_number=shown.hand,
        dealer=shown.dealer,
        round_wind=CODES[shown.round_wind],
        dealer_changes=shown.dealer_changes,
        dealer_wins=shown.dealer_wins,
        seats=[_seat(shown, seat) for seat in SEATS],
        concealed=codes(shown.concealed),
        drawn="" if shown.drawn is None else CODES[shown.drawn],
        turn_seat=shown.turn,
        open_tile="" if shown.offered is None else CODES[shown.offered],
        open_tile_seat=shown.offered_by,
        live_tiles_left=shown.live_tiles_left,
        reserve_tiles_left=shown.reserve_tiles_left,
    )


def _seat(shown: HandView, seat: Seat) -> pb.SeatView:
    scores = shown.scores if shown.result is None else shown.result.scores_after
    return pb.SeatView(
        seat=seat,
        wind=CODES[seat_wind(seat, shown.dealer)],
        score=scores[seat],
        concealed_count=shown.concealed_counts[seat],
        melds=map(meld_to_proto, shown.melds[seat]),
        bonus=codes(shown.bonus[seat]),
        pond=codes(shown.ponds[seat]),
        original_call=shown.original_calls[seat],
    )
