"""Metrics of the gateway beside those of the kit."""

from mahjong_kit.metrics import ServiceMetrics


class GatewayMetrics:
    """What the gateway counts of its streams to table workers."""

    def __init__(self, metrics: ServiceMetrics) -> None:
        self.shared_streams = metrics.gauge("shared_streams", "Open streams to table workers, each with many views.")
        self.views = metrics.gauge("views", "Clients that watch tables over shared streams.")
        self.views_behind = metrics.counter(
            "views_behind", "Views that ended with a resync because the client's connection was too slow."
        )
