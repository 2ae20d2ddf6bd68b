"""What groups are judged by."""

from collections.abc import Sequence

from mahjong_matchmaker.waves import SEATS


def spread(ratings: Sequence[float]) -> float:
    """Returns how far apart the people of a table are."""
    return max(ratings) - min(ratings)


def best_spreads(ratings: Sequence[float]) -> list[float]:
    """Returns the spreads of the best possible tables of four: sorted and cut.

    No other way of cutting people into fours has a smaller sum of spreads: two tables whose ranges overlap become no
    wider by sorting their eight people and cutting them in half.
    """
    ordered = sorted(ratings)
    full = len(ordered) // SEATS * SEATS
    return [ordered[start + SEATS - 1] - ordered[start] for start in range(0, full, SEATS)]


def quantile(values: Sequence[float], share: float) -> float:
    """Returns a quantile of values; 0 of none."""
    ordered = sorted(values)
    return ordered[min(int(share * len(ordered)), len(ordered) - 1)] if ordered else 0.0
