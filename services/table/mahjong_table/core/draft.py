"""One turn of a table's crank: commands in, everything that has to be committed before anybody may hear of it out."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field

from mahjong_engine.errors import IllegalActionError
from mahjong_engine.tile import Seat
from mahjong_table.core.decide import Answer, Instant, Received, decide
from mahjong_table.core.due import due_entry
from mahjong_table.core.entry import Entry, Happening
from mahjong_table.core.evolve import evolve
from mahjong_table.core.notice import Notice
from mahjong_table.core.refusal import RefusedError
from mahjong_table.core.state import Receipt, TableState

Outcome = Receipt | RefusedError | IllegalActionError | None
"""What a command came to: a receipt for an answer, None for what else was accepted, or why it was refused."""


@dataclass(slots=True)
class Draft:
    """What a table would become. Dropped whole if its entries can't be committed."""

    state: TableState
    entries: list[Entry] = field(default_factory=list)
    states: list[TableState] = field(default_factory=list)
    """The state after each entry."""
    notices: list[Notice] = field(default_factory=list)
    outcomes: list[Outcome] = field(default_factory=list)
    """By command. A refusal counts on earlier entries of the draft, so it too waits for their commit."""

    def add(self, what: Happening, now: int, request_id: str | None = None) -> None:
        """Lets a happening take effect in the draft."""
        entry = Entry(self.state.sequence + 1, now, what, request_id)
        self.state, notices = evolve(self.state, entry)
        self.entries.append(entry)
        self.states.append(self.state)
        self.notices += notices


def draft(
    state: TableState,
    commands: Sequence[Received],
    instant: Instant,
    present: Collection[Seat],
    first: Happening | None = None,
) -> Draft:
    """Runs commands one after another, and then all that is due by itself.

    Commands come first because they came in time: one that waited for a commit must not lose to a deadline that passed
    meanwhile. Those that came too late are refused by the time they came.

    Args:
        state: the table.
        commands: in the order they came in.
        instant: the time.
        present: people who are connected.
        first: what happens before anything else, as the credit of an outage.
    """
    result = Draft(state)
    if first is not None:
        result.add(first, instant.now)
    for received in commands:
        result.outcomes.append(_run(result, received, instant))
    while (what := due_entry(result.state, instant, present)) is not None:
        result.add(what, instant.now)
    return result


def _run(result: Draft, received: Received, instant: Instant) -> Outcome:
    command = received.command
    try:
        decided = decide(result.state, received, instant)
    except (RefusedError, IllegalActionError) as refused:
        return refused
    if decided is None or isinstance(decided, Receipt):
        return decided
    request_id = command.request_id if isinstance(command, Answer) else None
    result.add(decided, instant.now, request_id)
    return result.state.receipts.get(request_id) if request_id is not None else None
