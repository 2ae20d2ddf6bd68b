"""How long players waited for anything new at their table."""

import itertools
import time
from collections import defaultdict
from collections.abc import Iterable, Sequence


class Progress:
    """When each table last told any of its players something new."""

    def __init__(self) -> None:
        self._times_s: dict[str, list[float]] = defaultdict(list)

    def note(self, table: str) -> None:
        """Notes an event of a table."""
        self._times_s[table].append(time.monotonic())

    def count(self, table: str) -> int:
        """Returns how many events players of a table have got, all four together."""
        return len(self._times_s[table])

    def longest_s(self, table: str, from_s: float, to_s: float) -> float:
        """Returns the longest pause of a table that has any part between two moments."""
        times = [time_s for time_s in self._times_s[table] if time_s <= to_s]
        later = next((time_s for time_s in self._times_s[table] if time_s > to_s), None)
        times += [] if later is None else [later]
        pauses = [after - before for before, after in itertools.pairwise(times) if after >= from_s]
        return max(pauses, default=0.0)


def percentile(values: Iterable[float], share: float) -> float:
    """Returns the smallest value that at least this share of the values does not exceed."""
    ordered: Sequence[float] = sorted(values)
    return ordered[max(0, -(-int(share * 1000 * len(ordered)) // 1000) - 1)] if ordered else 0.0
