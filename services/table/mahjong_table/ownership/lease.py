"""Whether a worker may still act, by its own clock alone."""


class Lease:
    """A worker's lease as the worker itself counts it: from when its last successful heartbeat was *sent*.

    The store took that heartbeat later, so the worker stops before the store lets others take its shards; the margin
    covers what it had begun. Times in seconds of a monotonic clock.
    """

    def __init__(self, lease_s: float, margin_s: float) -> None:
        self._lasts_s = lease_s - margin_s
        self._sent_at: float | None = None

    def renew(self, sent_at: float) -> None:
        """Notes that the heartbeat sent at a time has succeeded; answers may come in any order."""
        self._sent_at = sent_at if self._sent_at is None else max(sent_at, self._sent_at)

    def drop(self) -> None:
        """Gives the lease up, as when the store no longer knows the worker."""
        self._sent_at = None

    def is_held(self, now: float) -> bool:
        """Whether the worker may act at a time."""
        return self._sent_at is not None and now - self._sent_at <= self._lasts_s
