"""What operators see of the replay service."""

from mahjong_kit.metrics import ServiceMetrics

_LAG_BUCKETS_S = (0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 300.0, 3600.0)


class ReplayMetrics:
    """The service's own metrics, beside those that the kit makes for every service."""

    def __init__(self, metrics: ServiceMetrics) -> None:
        self.hands_stored = metrics.counter("hands_stored", "Hands stored.")
        self.record_bytes = metrics.counter("record_bytes", "Bytes of the records stored, as they were reported.")
        self.matches_over = metrics.counter(
            "matches_over", "Matches that became readable: ended, with all their hands."
        )
        self.repeats = metrics.counter("reports_repeated", "Reports of what was reported before.")
        self.conflicts = metrics.counter("reports_conflicting", "Reports refused: other content than the first. A bug.")
        self.lag_s = metrics.histogram(
            "match_lag_seconds", "From the end of a match until its players can read it.", buckets=_LAG_BUCKETS_S
        )
        self.matches_checked = metrics.counter("matches_checked", "Matches played again, by result.", ("result",))
        self.check_duration_s = metrics.histogram("match_check_duration_seconds", "How long that took for one match.")
        self.hands_opened = metrics.counter("hands_opened", "Hands looked into, by where they came from.", ("source",))
        self.players_anonymised = metrics.counter("players_anonymised", "Players taken out of their matches.")
        self.matches_pruned = metrics.counter("matches_pruned", "Matches deleted because their time was over.")
        for result in ("verified", "failed"):
            self.matches_checked.labels(result)
        for source in ("cache", "record"):
            self.hands_opened.labels(source)
