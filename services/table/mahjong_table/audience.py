"""Viewers of one table: who is connected, what each has been shown, what is held back."""

from collections import deque
from collections.abc import Iterable, Sequence

from opentelemetry.trace import SpanContext

from mahjong_engine.tile import Seat
from mahjong_kit.errors import ServiceError
from mahjong_table import errors
from mahjong_table.channel import Channel, Outlet
from mahjong_table.core.notice import Notice
from mahjong_table.core.state import TableState
from mahjong_table.echoes import Echoes
from mahjong_table.environment import Environment
from mahjong_table.viewer import Recorded, Viewer
from mahjong_table.wire.event import EventEncoder
from mahjong_table.wire.response import event_payload, payload_of
from mahjong_table.wire.snapshot import snapshot, status_of
from mahjongplanet.table.v1 import table_service_pb2 as pb

_Basis = tuple[TableState, bool, frozenset[Seat], frozenset[Seat]]
"""What a status is made from."""


class Audience:
    """Shows committed notices to the people of a table when their time has come."""

    def __init__(self, env: Environment, state: TableState, notices: Iterable[Notice]) -> None:
        self._env = env
        self._state = state
        self._held: deque[Notice] = deque(notices)
        self._status: pb.TableStatus | None = None
        self._status_of: _Basis | None = None
        self.stand_ins: frozenset[Seat] = frozenset()
        """People for whom a computer decides until they come."""
        self._want_snapshot: list[tuple[Viewer, Channel]] = []
        self._echoes: dict[Seat, Echoes] = {}
        """Of each seat's present stream."""
        first = {notice.seat: notice.sequence for notice in reversed(self._held)}
        self.viewers = {
            seat: Viewer(
                seat,
                state.terms.occupants[seat].player_id or "",
                first.get(seat, state.sequences[seat] + 1) - 1,
                state.terms.length,
                recent_max=env.settings.recent_events_max,
                behind_max=env.settings.resume_events_max,
            )
            for seat in state.terms.people
        }

    @property
    def present(self) -> frozenset[Seat]:
        """The people who are connected."""
        return frozenset(seat for seat, viewer in self.viewers.items() if viewer.channel is not None)

    @property
    def is_settled(self) -> bool:
        """Whether everything that happened has been shown."""
        return not self._held

    @property
    def next_due(self) -> int | None:
        """When there is something to show next."""
        times = [self._held[0].at] if self._held else []
        if self._want_snapshot and not self._held:
            times.append(self._state.settled_at)
        return min(times, default=None)

    @property
    def streams(self) -> list[SpanContext]:
        """Where the streams that are open now were opened, as far as that is traced."""
        channels = (viewer.channel for viewer in self.viewers.values())
        return [channel.opened_by for channel in channels if channel is not None and channel.opened_by is not None]

    def add(self, state: TableState, notices: Iterable[Notice]) -> None:
        """Takes what a commit has brought."""
        self._state = state
        self._held += notices

    def show_due(self, now: int) -> bool:
        """Shows what may be shown by now, and the new status after it; returns whether there was anything."""
        held, events = len(self._held), EventEncoder(self._state.terms.length)
        while self._held and self._held[0].at <= now:
            notice = self._held.popleft()
            viewer = self.viewers[notice.seat]
            if not viewer.show(notice, events):
                viewer.channel = None
        if not self._held and now >= self._state.settled_at:
            self._send_snapshots(now)
        self.show_status(now)
        if self._state.is_over and not self._held:
            self.end_all(None)
        return len(self._held) < held

    def show_status(self, now: int) -> None:
        """Sends clocks, presence and confirmations if they have changed."""
        if not (present := self.present):
            self._status = None
            return
        basis = self._state, now < self._state.shown_at, present, self.stand_ins
        if self._status is not None and self._status_of is not None and _is_same(basis, self._status_of):
            return
        self._status_of = basis
        status = status_of(self._state, now, present, self.stand_ins)
        if status == self._status:
            return
        self._status, payload = status, payload_of(status=status)
        for viewer in self.viewers.values():
            if viewer.channel is not None:
                viewer.channel.put_status(payload)

    def attach(self, seat: Seat, outlet: Outlet) -> Channel:
        """Opens a stream for a seat; an older one of the seat ends."""
        viewer = self.viewers[seat]
        if viewer.channel is not None:
            viewer.channel.end(errors.seat_taken())
        viewer.channel = Channel(self._env.clock, self._env.settings.stream_queue_max, outlet)
        self._echoes[seat] = Echoes(round(1000 * self._env.settings.echo_period_s), self._env.chance)
        return viewer.channel

    def begin(self, seat: Seat, channel: Channel, missed: Sequence[Recorded] | None, now: int) -> None:
        """Starts a stream with the events that its viewer missed, or with a snapshot as soon as one may be sent."""
        viewer = self.viewers[seat]
        if viewer.channel is not channel:
            return
        if missed is None:
            self._env.metrics.streams_opened.labels("snapshot").inc()
            self._want_snapshot.append((viewer, channel))
        else:
            self._env.metrics.streams_opened.labels("events").inc()
            channel.preload((sequence, event_payload(event)) for sequence, event in missed)
            self._start(viewer, channel, now)
        self.show_due(now)

    def detach(self, seat: Seat, channel: Channel, now: int) -> None:
        """Closes a stream whose connection is gone."""
        channel.end()
        if self.viewers[seat].channel is channel:
            self.viewers[seat].channel = None
            self.show_status(now)

    def end_all(self, error: ServiceError | None) -> None:
        """Ends every stream after what is queued, or with an error at once."""
        for viewer in self.viewers.values():
            if viewer.channel is not None:
                viewer.channel.end(error)
                viewer.channel = None

    def beat(self, before: int, now: int) -> None:
        """Sends a heartbeat on each stream that is to be measured now, or has been quiet since before a time."""
        for seat, viewer in self.viewers.items():
            channel = viewer.channel
            if channel is None or not channel.is_ready or channel.is_ended:
                continue
            if (echo_id := self._echoes[seat].ask(now)) is not None:
                channel.ask_echo(echo_id)
            elif channel.quiet_since <= before:
                channel.beat()

    def echoed(self, seat: Seat, echo_id: str, now: int) -> None:
        """Takes a player's echo of a heartbeat."""
        if seat in self._echoes:
            self._echoes[seat].take(echo_id, now)

    def credit_ms(self, seat: Seat) -> int:
        """Returns the latency credit of a seat's stream; a computer, or a player without a stream, has none."""
        if (viewer := self.viewers.get(seat)) is None or viewer.channel is None:
            return 0
        return self._echoes[seat].credit_ms(self._env.settings.latency_credit_max_ms)

    def _send_snapshots(self, now: int) -> None:
        wanted, self._want_snapshot = self._want_snapshot, []
        for viewer, channel in wanted:
            if viewer.channel is channel:
                shown = snapshot(self._state, viewer.seat, now, self.present, self.stand_ins)
                channel.preload([(viewer.head, payload_of(snapshot=shown))])
                self._start(viewer, channel, now)

    def _start(self, viewer: Viewer, channel: Channel, now: int) -> None:
        channel.sequence = viewer.head
        channel.is_ready = True
        channel.put_status(payload_of(status=status_of(self._state, now, self.present, self.stand_ins)))


def _is_same(one: _Basis, other: _Basis) -> bool:
    """Returns whether a status made from either is the same for sure, without a look into the states."""
    return one[0] is other[0] and one[1:] == other[1:]
