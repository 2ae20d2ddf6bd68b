"""The metrics of the account service."""

from mahjong_kit.metrics import ServiceMetrics


class AccountMetrics:
    """Counters of what players do."""

    def __init__(self, metrics: ServiceMetrics) -> None:
        self.guests_created = metrics.counter("guests_created", "Guest accounts made.")
        self.registrations = metrics.counter("registrations", "Accounts registered, by their origin.", ("origin",))
        self.sign_ins = metrics.counter("sign_ins", "Sign-ins by login name and password, by outcome.", ("outcome",))
        self.openid_sign_ins = metrics.counter("openid_sign_ins", "Sign-ins by the outside issuer.")
        self.passwords_verified = metrics.counter("passwords_verified", "Passwords looked at, right or wrong.")
        self.refreshes = metrics.counter("refreshes", "Refresh tokens that came, by outcome.", ("outcome",))
        self.sign_outs = metrics.counter("sign_outs", "Sessions ended by their players.")
        self.deletions = metrics.counter("deletions", "Accounts deleted by their players.")
        self.farewells = metrics.counter(
            "farewells", "Attempts to tell a service of a deletion, by outcome.", ("to", "outcome")
        )
        self.sessions_pruned = metrics.counter("sessions_pruned", "Expired sessions removed.")
