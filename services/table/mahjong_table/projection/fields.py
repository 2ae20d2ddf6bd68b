"""What the projection holds of a table beside its events."""

from collections.abc import Iterator
from dataclasses import dataclass

import orjson

from mahjong_engine.state import SEATS, BySeat
from mahjong_engine.tile import Seat
from mahjong_table.core.notice import Question
from mahjong_table.core.state import Stage, TableState


@dataclass(frozen=True, slots=True)
class Sent:
    """What Redis has of a table, as far as we know: only what differs from it is sent."""

    whole_at: int
    """When all was sent."""
    sequence: int
    stage: Stage
    stage_deadline: int | None
    questions: BySeat[Question | None]
    reserves: BySeat[int]
    due: int | None

    def clock_changed(self, state: TableState, seat: Seat) -> bool:
        """Whether the clock of a seat may be another one in a later state."""
        return self.questions[seat] is not state.questions[seat] or self.reserves[seat] != state.reserves[seat]


def sent(state: TableState, due: int | None, whole_at: int) -> Sent:
    """Returns what Redis has once a state is sent."""
    return Sent(whole_at, state.sequence, state.stage, state.stage_deadline, state.questions, state.reserves, due)


def changed_fields(before: Sent | None, state: TableState, address: str) -> Iterator[str | bytes]:
    """Yields names and values in turn of what has changed in a table's hash; all of them if nothing is there."""
    if before is None:
        yield from ("match_id", state.terms.match_id, "address", address)
    if before is None or (before.stage, before.stage_deadline) != (state.stage, state.stage_deadline):
        yield from ("stage", state.stage.value, "stage_deadline", str(state.stage_deadline or ""))
    for seat in SEATS:
        if before is None or before.clock_changed(state, seat):
            yield from (f"clock{seat}", _clock(state, seat))


def _clock(state: TableState, seat: Seat) -> bytes:
    clock: dict[str, object] = {"reserve_ms": state.reserves[seat]}
    if (question := state.questions[seat]) is not None:
        window = question.window
        clock["decision_id"] = question.decision_id
        clock["opened_at"] = window.opened_at
        clock["base_end"] = window.base_end
        clock["deadline"] = window.deadline
    return orjson.dumps(clock)
