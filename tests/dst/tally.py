"""What goes wrong, and how often it did."""

from collections import Counter


class Tally:
    """Counts the faults of each kind."""

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()

    def count(self, kind: str) -> None:
        """Counts one."""
        self.counts[kind] += 1
