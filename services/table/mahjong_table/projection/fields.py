"""What the projection holds of a table beside its events."""

from collections.abc import Iterator

import orjson

from mahjong_engine.state import SEATS
from mahjong_table.core.state import TableState


def fields_of(state: TableState, address: str) -> Iterator[tuple[str, str | bytes]]:
    """Yields the fields of a table's hash."""
    yield "match_id", state.terms.match_id
    yield "address", address
    yield "stage", state.stage.value
    yield "stage_deadline", str(state.stage_deadline or "")
    for seat in SEATS:
        question = state.questions[seat]
        clock: dict[str, object] = {"reserve_ms": state.reserves[seat]}
        if question is not None:
            window = question.window
            clock |= {
                "decision_id": question.decision_id,
                "opened_at": window.opened_at,
                "base_end": window.base_end,
                "deadline": window.deadline,
            }
        yield f"clock{seat}", orjson.dumps(clock)
