"""What a match reports to other services, written in the same commit as the entry that it follows from."""

from collections.abc import Iterator
from typing import Final

import orjson

from mahjong_engine.record import Derivation, hand_record
from mahjong_engine.wall import NO_NONCE
from mahjong_kit.times import timestamp
from mahjong_table.core.draft import Draft
from mahjong_table.core.entry import HandStarted
from mahjong_table.core.state import Stage, TableState
from mahjong_table.store.append import FinalView, Report
from mahjong_table.wire.snapshot import snapshot
from mahjong_table.wire.terms import match_terms, occupant_to_proto
from mahjong_table.wire.words import RULE_SETS, TABLE_KINDS
from mahjongplanet.game.v1 import terms_pb2 as game
from mahjongplanet.rating.v1 import rating_service_pb2 as rating
from mahjongplanet.replay.v1 import replay_service_pb2 as replay

START_MATCH: Final = "start_match"
STORE_HAND: Final = "store_hand"
FINISH_MATCH: Final = "finish_match"
REPORT_MATCH: Final = "report_match"


def reports_of(before: TableState, draft: Draft) -> Iterator[Report]:
    """Yields the reports that the entries of a draft bring, in order."""
    for state in draft.states:
        if state.hand is not None and before.hand is None:
            yield Report(START_MATCH, replay.StartMatchRequest(terms=match_terms(state.terms)).SerializeToString())
        if state.match.hand > before.match.hand:
            yield Report(STORE_HAND, _store_hand(state).SerializeToString())
        if state.is_over and not before.is_over:
            yield from _match_reports(state)
        before = state


def final_views_of(before: TableState, draft: Draft) -> Iterator[FinalView]:
    """Yields what late viewers are shown, if the match is over with a draft."""
    state = draft.state
    if not state.is_over or before.is_over:
        return
    for seat in state.terms.people:
        shown = snapshot(state, seat, state.settled_at, connected=())
        player_id = state.terms.occupants[seat].player_id
        assert player_id is not None
        yield FinalView(seat, player_id, state.sequences[seat], shown.SerializeToString())


def load_sequence_of(draft: Draft) -> int | None:
    """Returns the sequence of the newest entry of a draft that started a hand."""
    starts = (entry.sequence for entry in draft.entries if isinstance(entry.what, HandStarted))
    return max(starts, default=None)


def _match_reports(state: TableState) -> Iterator[Report]:
    if state.hand is not None:  # Else no hand was dealt, and nobody has heard of the match.
        yield Report(FINISH_MATCH, _finish_match(state).SerializeToString())
    if state.places:
        yield Report(REPORT_MATCH, _report_match(state).SerializeToString())


def _store_hand(state: TableState) -> replay.StoreHandRequest:
    assert state.hand is not None
    assert state.stage in (Stage.RESULT, Stage.OVER)
    a, b, c, d = (nonce or NO_NONCE for nonce in state.nonces)
    terms = state.terms
    derivation = Derivation(state.opening.server_seed, (a, b, c, d))
    record = hand_record(state.hand, match_id=terms.match_id, length=terms.length, derivation=derivation)
    del record["server_seed"]  # Revealed when the match is over, by FinishMatch.
    return replay.StoreHandRequest(
        terms=match_terms(terms), hand_number=state.hand.deal.hand, record_json=orjson.dumps(record)
    )


def _finish_match(state: TableState) -> replay.FinishMatchRequest:
    return replay.FinishMatchRequest(
        terms=match_terms(state.terms),
        hand_count=state.match.hand,
        server_seed=state.opening.server_seed,
        standings=[game.Standing(seat=p.seat, place=p.place, score=p.score) for p in state.places],
        end_time=timestamp(state.changed_at),
    )


def _report_match(state: TableState) -> rating.ReportMatchRequest:
    terms = state.terms
    seats = zip(terms.occupants, state.match.scores, strict=True)
    return rating.ReportMatchRequest(
        match_id=terms.match_id,
        rule_set=RULE_SETS[terms.rule_set],
        table_kind=TABLE_KINDS[terms.kind],
        seats=[rating.SeatResult(occupant=occupant_to_proto(o), score=score) for o, score in seats],
        end_time=timestamp(state.changed_at),
    )
