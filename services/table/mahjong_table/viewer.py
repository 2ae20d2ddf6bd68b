"""One person at a table: the newest events it was shown, and its stream if it is connected."""

from collections import deque
from collections.abc import Iterable, Sequence

from mahjong_engine.match import MatchLength
from mahjong_engine.tile import Seat
from mahjong_table.channel import Channel
from mahjong_table.core.notice import Notice
from mahjong_table.wire.event import EventEncoder
from mahjong_table.wire.response import event_payload

Recorded = tuple[int, bytes]
"""An event by its sequence: a serialised `TableEvent`."""


class Viewer:
    """What one seat has been shown. Sequences up to `head` are out; later ones are held back or not committed.

    The newest events stay in memory, and older ones until Redis has them, unless it is away for too long. An event is
    serialised when somebody first wants it: a table that comes to a worker shows all events of its hand, and next to
    none of them is ever asked for.
    """

    def __init__(
        self, seat: Seat, player_id: str, head: int, length: MatchLength, *, recent_max: int, behind_max: int
    ) -> None:
        self.seat = seat
        self.player_id = player_id
        self.head = head
        self.channel: Channel | None = None
        self.projected = head
        """Newest sequence that Redis has."""
        self._length = length
        self._recent: deque[tuple[int, bytes | Notice]] = deque()
        self._recent_max = recent_max
        self._behind_max = behind_max

    def show(self, notice: Notice, events: EventEncoder) -> bool:
        """Shows the next event; returns False if the viewer has fallen behind by it and was let go."""
        self.head = notice.sequence
        if self.channel is None or not self.channel.is_ready:
            self._keep(notice)
            return True
        event = events.encoded(notice)
        self._keep(event)
        return self.channel.put(self.head, event_payload(event))

    def note_projected(self, sequence: int) -> None:
        """Notes that Redis has the events up to a sequence: memory need not keep so many of them."""
        self.projected = sequence
        self._forget()

    def _keep(self, event: bytes | Notice) -> None:
        self._recent.append((self.head, event))
        self._forget()

    def _forget(self) -> None:
        while len(self._recent) > self._recent_max:
            if self._recent[0][0] > self.projected and len(self._recent) <= self._behind_max:
                return
            self._recent.popleft()

    def recent_after(self, sequence: int) -> list[Recorded]:
        """Returns the events after a sequence that are still in memory."""
        newest: list[Recorded] = []
        events = EventEncoder(self._length)
        for place in range(len(self._recent) - 1, -1, -1):
            number, event = self._recent[place]
            if number <= sequence:
                break
            if isinstance(event, Notice):
                event = events.encoded(event)
                self._recent[place] = number, event
            newest.append((number, event))
        newest.reverse()
        return newest

    def missed_after(self, sequence: int, older: Iterable[Recorded] = ()) -> Sequence[Recorded] | None:
        """Returns all events after a sequence without a gap, or None if some are no longer known.

        Args:
            sequence: the newest event that the viewer has.
            older: events that come from elsewhere; what is in memory is added.
        """
        known = {number: event for number, event in older if sequence < number <= self.head}
        known.update(self.recent_after(sequence))
        if not 0 < sequence <= self.head or len(known) != self.head - sequence:
            return None
        return sorted(known.items())
