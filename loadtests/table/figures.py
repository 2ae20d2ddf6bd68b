"""Figures and how they are told."""

from collections.abc import Sequence


def percentile(values: Sequence[float], share: float) -> float:
    """Returns the smallest value that at least this share of all values does not exceed."""
    ordered = sorted(values)
    return ordered[max(0, -(-int(1000 * share) * len(ordered) // 1000) - 1)] if ordered else float("nan")


def milliseconds(values_s: Sequence[float]) -> str:
    """Returns median, 99th percentile and maximum in milliseconds."""
    middle, high = percentile(values_s, 0.5), percentile(values_s, 0.99)
    return f"p50 {1000 * middle:.0f}, p99 {1000 * high:.0f}, max {1000 * max(values_s, default=float('nan')):.0f} ms"
