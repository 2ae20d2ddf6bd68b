"""Snapshots and statuses: the sum of all events that one viewer has been shown."""

from collections.abc import Collection

from mahjong_engine.state import SEATS, ClockKind
from mahjong_engine.tile import CODES, Seat, seat_wind
from mahjong_engine.view import HandView, view
from mahjong_engine.wall import NO_NONCE, commitment
from mahjong_table.core.clock import Clock
from mahjong_table.core.notice import MatchEnded
from mahjong_table.core.state import Stage, TableState
from mahjong_table.wire.action import codes, meld_to_proto
from mahjong_table.wire.event import hand_ended_to_proto, match_ended_to_proto, question_to_proto
from mahjong_table.wire.terms import clock_to_proto, occupant_to_proto
from mahjong_table.wire.times import duration, timestamp_or_none
from mahjong_table.wire.words import LENGTHS, RULE_SETS, STAGES, TABLE_KINDS
from mahjongplanet.table.v1 import event_pb2 as pb
from mahjongplanet.table.v1 import table_service_pb2 as service


def snapshot(state: TableState, seat: Seat, now: int, connected: Collection[Seat]) -> pb.TableSnapshot:
    """Returns what is true of a table for one viewer; to be sent only when nothing is held back (`settled_at`)."""
    opening, terms = state.opening, state.terms
    shown = None if state.hand is None else view(state.hand, seat)
    question = state.questions[seat]
    status = status_of(state, now, connected)
    return pb.TableSnapshot(
        table_id=opening.table_id,
        match_id=terms.match_id,
        rule_set=RULE_SETS[terms.rule_set],
        clock=clock_to_proto(terms.clock),
        length=LENGTHS[terms.length],
        table_kind=TABLE_KINDS[terms.kind],
        occupants=map(occupant_to_proto, terms.occupants),
        seat=seat,
        commitment=commitment(terms.match_id, opening.server_seed),
        phase=status.phase,
        phase_deadline_time=status.phase_deadline_time if status.HasField("phase_deadline_time") else None,
        hand=None if shown is None else _hand(shown),
        hand_ended=None if shown is None or shown.result is None else hand_ended_to_proto(shown.result, terms.length),
        match_ended=match_ended_to_proto(match_ended(state)) if state.is_over else None,
        decision=None if question is None or question.is_forced else question_to_proto(question),
        clocks=status.clocks,
        connected=status.connected,
        confirmed_seats=status.confirmed_seats,
    )


def status_of(state: TableState, now: int, connected: Collection[Seat]) -> service.TableStatus:
    """Returns what is not numbered: clocks, presence, confirmations; the same for every viewer.

    While events are held back, no turn runs and the hand goes on, as far as anybody may know.
    """
    is_covered = now < state.shown_at
    stage = Stage.HAND if is_covered else state.stage
    return service.TableStatus(
        clocks=[_clock(state, seat, is_covered=is_covered) for seat in SEATS],
        connected=[seat in connected or state.terms.occupants[seat].player_id is None for seat in SEATS],
        phase=STAGES[stage],
        phase_deadline_time=None if is_covered else timestamp_or_none(state.stage_deadline),
        confirmed_seats=sorted(state.confirmed) if stage is Stage.RESULT else (),
    )


def match_ended(state: TableState) -> MatchEnded:
    """Returns the end of a match that is over."""
    a, b, c, d = (nonce or NO_NONCE for nonce in state.nonces)
    return MatchEnded(state.places, state.opening.server_seed, (a, b, c, d))


def _clock(state: TableState, seat: Seat, *, is_covered: bool) -> pb.SeatClock:
    if state.terms.clock is Clock.UNTIMED:
        return pb.SeatClock(seat=seat)
    question = state.questions[seat]
    reserve = duration(state.reserves[seat])
    if question is None or is_covered or question.decision.clock is not ClockKind.TURN:
        return pb.SeatClock(seat=seat, reserve_duration=reserve)
    return pb.SeatClock(
        seat=seat,
        reserve_duration=reserve,
        base_end_time=timestamp_or_none(question.window.base_end),
        deadline_time=timestamp_or_none(question.window.deadline),
    )


def _hand(shown: HandView) -> pb.HandSnapshot:
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
