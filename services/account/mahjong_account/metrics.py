"""The metrics of the account service."""

from mahjong_kit.metrics import ServiceMetrics


class AccountMetrics:
    """Counters of what players do."""

    def __init__(self, metrics: ServiceMetrics) -> None:
        self.guests_created = metrics.counter("guests_created", "Guest accounts made.")
        self.refreshes = metrics.counter("refreshes", "Refresh tokens that came, by outcome.", ("outcome",))
        self.sign_outs = metrics.counter("sign_outs", "Sessions ended by their players.")
        self.sessions_pruned = metrics.counter("sessions_pruned", "Expired sessions removed.")
