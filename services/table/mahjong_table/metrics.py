"""Metrics of the table service."""

from collections.abc import Sequence

from mahjong_kit.metrics import ServiceMetrics
from mahjong_table.core.entry import KINDS
from mahjong_table.store.append import Append
from mahjong_table.store.log import Written


class TableMetrics:
    """All metrics of the table service beside those of the kit."""

    def __init__(self, metrics: ServiceMetrics) -> None:
        self.tables = metrics.gauge("tables", "Live tables of this worker, by phase.", ("phase",))
        self.tables_halted = metrics.gauge("tables_halted", "Tables that a fault of ours has stopped.")
        self.entries = metrics.counter("entries", "Log entries committed, by kind.", ("kind",))
        self._entries_of = {kind: self.entries.labels(name) for kind, name in KINDS.items()}
        self.timeouts = metrics.counter("timeouts", "Answers that the server gave at a timeout.")
        self.commits = metrics.counter("commits", "Commits, by outcome.", ("outcome",))
        self.commit_tables = metrics.histogram(
            "commit_tables", "Tables in one commit.", buckets=(1, 2, 4, 8, 16, 32, 64, 128)
        )
        self.commit_duration_s = metrics.histogram("commit_duration_seconds", "How long commits took.")
        self.decision_duration_s = metrics.histogram(
            "decision_duration_seconds", "From a command's arrival to its acknowledgement."
        )
        self.overdue_s = metrics.gauge("deadline_overdue_seconds", "Age of the most overdue deadline.")
        self.streams = metrics.gauge("streams", "Viewers connected, by whatever stream.")
        self.streams_opened = metrics.counter("streams_opened", "Streams opened, by what they began with.", ("start",))
        self.shared_streams = metrics.gauge("shared_streams", "Open streams of gateways, each with many watches.")
        self.shared_messages = metrics.counter("shared_messages", "Messages sent to gateways on shared streams.")
        self.shared_responses = metrics.counter("shared_responses", "What players were sent in those messages.")
        self.resyncs = metrics.counter("resyncs", "Streams ended because their viewer fell behind.")
        self.computer_duration_s = metrics.histogram("computer_duration_seconds", "How long computers thought.")
        self.projections = metrics.counter("projections", "Updates of Redis, by outcome.", ("outcome",))
        self.projections_waiting = metrics.gauge("projections_waiting", "Tables that the last round of updates left.")
        self.reports = metrics.counter(
            "reports", "Attempts to deliver reports, by kind and outcome.", ("kind", "outcome")
        )
        self.reports_waiting = metrics.gauge("reports_waiting", "Reports that wait for delivery.")
        self.report_lag_s = metrics.gauge("report_lag_seconds", "Age of the oldest report that waits.")
        self.shards = metrics.gauge("shards", "Shards of this worker.")
        self.take_over_s = metrics.histogram(
            "take_over_seconds", "From the claim of shards to their tables running, where they had any."
        )
        self.hand_over_s = metrics.histogram(
            "hand_over_seconds", "How long the tables of shards were stopped here until their successor had them."
        )
        self.fenced = metrics.counter("fenced", "Times that this worker stopped because its heartbeats failed.")
        self.outage_s = metrics.counter("outage_credited_seconds", "Time credited to clocks after outages, all tables.")

    def committed(self, appends: Sequence[Append], seconds: float, written: Sequence[Written | Exception]) -> None:
        """Counts a commit."""
        self.commit_duration_s.observe(seconds)
        self.commit_tables.observe(len(appends))
        for append, outcome in zip(appends, written, strict=True):
            if outcome is Written.COMMITTED:
                for entry in append.entries:
                    self._entries_of[type(entry.what)].inc()
                    if getattr(entry.what, "timeout", False):
                        self.timeouts.inc()
        failed = any(isinstance(outcome, Exception) for outcome in written)
        self.commits.labels("failed" if failed else "committed").inc()
