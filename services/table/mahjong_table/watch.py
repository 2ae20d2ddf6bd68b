"""One player's open view of a table, whatever connection carries it."""

from collections.abc import Callable

from mahjong_kit.errors import ServiceError
from mahjong_table.channel import Channel


class Watch:
    """What a player is sent of a table, until it ends or nobody wants it any more."""

    def __init__(self, channel: Channel, leave: Callable[[], None]) -> None:
        self._channel = channel
        self._leave: Callable[[], None] | None = leave

    @property
    def is_ended(self) -> bool:
        """Whether nothing comes after what `take` returns next."""
        return self._channel.is_ended

    @property
    def error(self) -> ServiceError | None:
        """Why it ended; None if in order."""
        return self._channel.error

    @property
    def fell_behind(self) -> bool:
        """Whether it ended with a resync."""
        return self._channel.fell_behind

    def take(self) -> list[bytes]:
        """Returns the serialised responses that are to be sent now."""
        return self._channel.take()

    def fall_behind(self) -> None:
        """Ends with a resync: the connection was too slow for what was sent."""
        self._channel.fall_behind()

    def close(self) -> None:
        """Gives the view up; a second call changes nothing."""
        self._channel.abandon()
        leave, self._leave = self._leave, None
        if leave is not None:
            leave()
