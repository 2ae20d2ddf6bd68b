"""What operators see of the rating service."""

from collections.abc import Callable

from mahjong_kit.metrics import ServiceMetrics
from mahjong_rating.report import Outcome

_LAG_BUCKETS_S = (0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 300.0, 3600.0)


class RatingMetrics:
    """The service's own metrics, beside those that the kit makes for every service."""

    def __init__(self, metrics: ServiceMetrics) -> None:
        self.reports = metrics.counter("reports", "Matches reported for the first time, by outcome.", ("outcome",))
        self.repeats = metrics.counter("reports_repeated", "Reports of matches that were reported before.")
        self.conflicts = metrics.counter("reports_conflicting", "Reports refused: other content than the first. A bug.")
        self.lag_s = metrics.histogram(
            "result_lag_seconds", "From the end of a match to its first report.", buckets=_LAG_BUCKETS_S
        )
        self._waits = metrics.gauge("waits", "Players who wait for the rating of a match now.")
        for outcome in Outcome:
            self.reports.labels(outcome.value)

    def watch_waits(self, count: Callable[[], float]) -> None:
        """Shows the number of waits when asked."""
        self._waits.set_function(count)
