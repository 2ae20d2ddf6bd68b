"""Snapshots and statuses: the sum of all events that one viewer has been shown."""

from collections.abc import Collection
from functools import lru_cache
from typing import Final

from mahjong_engine.state import SEATS, ClockKind
from mahjong_engine.tile import Seat
from mahjong_engine.view import view
from mahjong_engine.wall import NO_NONCE, commitment
from mahjong_kit.times import duration, timestamp_or_none
from mahjong_table.core.clock import Clock
from mahjong_table.core.notice import MatchEnded
from mahjong_table.core.state import Stage, TableState
from mahjong_table.wire.event import match_ended_to_proto, question_to_proto
from mahjong_table.wire.terms import clock_to_proto, occupant_to_proto
from mahjong_table.wire.words import LENGTHS, RULE_SETS, STAGES, TABLE_KINDS
from mahjong_wire.event import hand_ended_to_proto
from mahjong_wire.hand import hand_to_proto
from mahjongplanet.table.v1 import event_pb2 as pb
from mahjongplanet.table.v1 import table_service_pb2 as service

_CLOCKS_KEPT: Final = 4_096


def snapshot(
    state: TableState, seat: Seat, now: int, connected: Collection[Seat], stand_ins: Collection[Seat] = ()
) -> pb.TableSnapshot:
    """Returns what is true of a table for one viewer; to be sent only when nothing is held back (`settled_at`)."""
    opening, terms = state.opening, state.terms
    shown = None if state.hand is None else view(state.hand, seat)
    question = state.questions[seat]
    status = status_of(state, now, connected, stand_ins)
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
        hand=None if shown is None else hand_to_proto(shown),
        hand_ended=None if shown is None or shown.result is None else hand_ended_to_proto(shown.result, terms.length),
        match_ended=match_ended_to_proto(match_ended(state)) if state.is_over else None,
        decision=None if question is None or question.is_forced else question_to_proto(question),
        clocks=status.clocks,
        connected=status.connected,
        confirmed_seats=status.confirmed_seats,
        stand_in_seats=status.stand_in_seats,
    )


def status_of(
    state: TableState, now: int, connected: Collection[Seat], stand_ins: Collection[Seat] = ()
) -> service.TableStatus:
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
        stand_in_seats=sorted(stand_ins),
    )


def match_ended(state: TableState) -> MatchEnded:
    """Returns the end of a match that is over."""
    a, b, c, d = (nonce or NO_NONCE for nonce in state.nonces)
    return MatchEnded(state.places, state.opening.server_seed, (a, b, c, d))


def _clock(state: TableState, seat: Seat, *, is_covered: bool) -> pb.SeatClock:
    if state.terms.clock is Clock.UNTIMED:
        return _seat_clock(seat)
    question = state.questions[seat]
    reserve = state.reserves[seat]
    if question is None or is_covered or question.decision.clock is not ClockKind.TURN:
        return _seat_clock(seat, reserve)
    return _seat_clock(seat, reserve, question.window.base_end, question.window.deadline)


@lru_cache(_CLOCKS_KEPT)
def _seat_clock(
    seat: Seat, reserve: int | None = None, base_end: int | None = None, deadline: int | None = None
) -> pb.SeatClock:
    """Returns a clock on the wire, not to be changed: of the four that a status shows, one or two are new."""
    return pb.SeatClock(
        seat=seat,
        reserve_duration=None if reserve is None else duration(reserve),
        base_end_time=timestamp_or_none(base_end),
        deadline_time=timestamp_or_none(deadline),
    )
