"""The steps of a decision in its trace: what a table's batch of decisions goes through, told to each of their calls."""

import time
from collections.abc import Iterable, Sequence

from opentelemetry.trace import SpanContext

from mahjong_kit import tracing


class Steps:
    """Steps that follow one another, shared by the calls whose decisions are committed together."""

    __slots__ = ("_began_ns", "_calls")

    def __init__(self, calls: Iterable[SpanContext | None]) -> None:
        self._calls = [call for call in calls if call is not None]
        self._began_ns = time.time_ns() if self._calls else 0

    @property
    def are_traced(self) -> bool:
        """Whether anybody wants to know of them."""
        return bool(self._calls)

    def done(
        self, step: str, problem: str = "", *, links: Iterable[SpanContext] = (), **attributes: str | bool | float
    ) -> None:
        """Records that a step is over, and begins the next.

        Args:
            step: from a closed set.
            problem: why it failed, from a closed set; an empty text if it didn't.
            links: the streams that it had to do with.
            attributes: what else is told.
        """
        if not self._calls:
            return
        linked: Sequence[SpanContext] = [*links]
        for call in self._calls:
            tracing.record(step, call, self._began_ns, links=linked, problem=problem, attributes=attributes)
        self._began_ns = time.time_ns()


NO_STEPS = Steps(())
