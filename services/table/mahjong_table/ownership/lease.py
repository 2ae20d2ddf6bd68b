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


class Silence:
    """How long a worker could not reach the store itself: others may have been silent as long for no fault of theirs.

    When a store comes back that was away for everybody, the first worker to reach it would find the leases of all
    others run out, and take everything. So it adds its own silence to their leases until they had time to be heard
    again. Times in seconds of a monotonic clock.
    """

    def __init__(self, lease_s: float, usual_s: float) -> None:
        self._lease_s = lease_s
        self._usual_s = usual_s
        self._heard_at: float | None = None
        self._lasted_s = 0.0
        self._ended_at = 0.0

    def broken(self, now: float) -> bool:
        """Takes note that the store was reached; returns whether it had not been for longer than usual."""
        lasted_s = 0.0 if self._heard_at is None else now - self._heard_at
        self._heard_at = now
        if lasted_s <= self._usual_s:
            return False
        self._lasted_s, self._ended_at = lasted_s, now
        return True

    def patience_ms(self, now: float) -> int:
        """Returns by how much longer than the lease others may have been silent."""
        return round(self._lasted_s * 1000) if now - self._ended_at <= self._lease_s else 0
