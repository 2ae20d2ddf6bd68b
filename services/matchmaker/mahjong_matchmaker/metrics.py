"""The metrics of the matchmaker."""

from mahjong_kit.metrics import ServiceMetrics

_WAIT_BUCKETS_S = (0.1, 0.5, 1.0, 2.0, 4.0, 8.0, 12.0, 16.0, 20.0, 30.0, 60.0, 120.0)
_SPREAD_BUCKETS_POINTS = (5.0, 10.0, 25.0, 50.0, 100.0, 200.0, 400.0, 800.0)


class MatchmakerMetrics:
    """How long players wait, and for what."""

    def __init__(self, metrics: ServiceMetrics) -> None:
        self.tickets_joined = metrics.counter("tickets_joined", "Tickets given.", ("pool",))
        self.tickets_ended = metrics.counter(
            "tickets_ended", "Tickets that ended, by how (matched, cancelled, expired, dropped).", ("pool", "outcome")
        )
        self.waits_s = metrics.histogram(
            "ticket_wait_seconds", "From joining to a table.", ("pool",), buckets=_WAIT_BUCKETS_S
        )
        self.tickets_waiting = metrics.gauge("tickets_waiting", "Tickets in the pool at the last wave.", ("pool",))
        self.matches_made = metrics.counter("matches_made", "Tables made, by people at them.", ("pool", "people"))
        self.spread_points = metrics.histogram(
            "table_spread_points",
            "Between the highest and the lowest rating at a table of two people or more.",
            ("pool",),
            buckets=_SPREAD_BUCKETS_POINTS,
        )
        self.matches_forming = metrics.gauge("matches_forming", "Matches whose tables are being made.", ("pool",))
        self.matches_dissolved = metrics.counter("matches_dissolved", "Matches given up before a table.", ("pool",))
        self.pools_led = metrics.gauge("pools_led", "1 if this replica leads the pool.", ("pool",))
        self.pools_busy = metrics.gauge("pools_busy", "1 if the pool has something to lead.", ("pool",))
        self.practices_started = metrics.counter("practices_started", "Practice tables made.")
        self.no_shows = metrics.counter(
            "no_shows", "People who did not come to a table, by what came of it (casual, done, excused).", ("outcome",)
        )
        self.rooms_opened = metrics.counter("rooms_opened", "Rooms opened.")
        self.room_matches_started = metrics.counter("room_matches_started", "Starts of private tables.")
