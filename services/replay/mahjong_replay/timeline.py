"""A finished hand, opened: what happened, event by event, and the table as it stood after any of them. Pure."""

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

import orjson

from mahjong_engine.event import Event, HandDealt
from mahjong_engine.match import MatchLength
from mahjong_engine.referee import replay_record
from mahjong_engine.state import SEATS
from mahjong_engine.tile import Seat
from mahjong_wire.action import codes
from mahjong_wire.event import hand_event_to_proto
from mahjong_wire.mirror import HandMirror
from mahjongplanet.table.v1 import event_pb2 as table

CHECKPOINT_EVENTS: Final = 16
"""Distance of two checkpoints: at most so many events less one are added up to reach any position."""

_DERIVATION: Final = ("shuffle", "commitment", "server_seed", "nonces")
"""Parts of a record that tell where its wall came from: another question than what happened."""


class Moment(NamedTuple):
    """A hand after one of its events."""

    hand: table.HandSnapshot
    shown: tuple[table.ShownHand, ...]
    """Everybody's tiles, if they may be seen; else empty."""
    ended: table.HandEnded | None
    """How it ended, after its last event."""


class Timeline:
    """The events of one hand, and checkpoints of the table between them, by seat."""

    def __init__(self, events: Sequence[Event], length: MatchLength) -> None:
        self._events = tuple(events)
        self._length = length
        self._checkpoints: dict[Seat, tuple[bytes, ...]] = {}

    @property
    def event_count(self) -> int:
        """Events of the hand."""
        return len(self._events)

    def events(self, seat: Seat | None, start: int, stop: int) -> Iterator[table.TableEvent]:
        """Yields events as a seat saw them, or with everybody's tiles for None."""
        for event in self._events[start:stop]:
            yield hand_event_to_proto(event, seat, self._length)

    def dealt_hands(self, position: int) -> list[table.ShownHand]:
        """Returns the tiles that an event dealt to the four seats; none unless it is the deal."""
        event = self._events[position]
        return _shown([codes(tiles or ()) for tiles in event.concealed]) if isinstance(event, HandDealt) else []

    def is_prepared(self, seat: Seat | None) -> bool:
        """Whether moments of a seat, or of everybody for None, are at hand."""
        return all(each in self._checkpoints for each in _seats(seat))

    def prepare(self, seat: Seat | None) -> None:
        """Makes the checkpoints that moments of a seat start from: some milliseconds, once."""
        for each in _seats(seat):
            if each not in self._checkpoints:
                self._checkpoints[each] = tuple(self._make_checkpoints(each))

    def moment(self, seat: Seat | None, position: int) -> Moment:
        """Returns the table after an event, as a seat saw it, or with everybody's tiles for None; once prepared."""
        ended = self._ended() if position == len(self._events) - 1 else None
        if seat is not None:
            return Moment(self._hand(seat, position), (), ended)
        hands = [self._hand(each, position) for each in SEATS]
        shown = tuple(_shown([list(hand.concealed) for hand in hands]))
        whole = hands[0]
        whole.ClearField("concealed")
        whole.drawn = next((hand.drawn for hand in hands if hand.drawn), "")
        return Moment(whole, shown, ended)

    def _ended(self) -> table.HandEnded:
        return hand_event_to_proto(self._events[-1], None, self._length).hand_ended

    def _hand(self, seat: Seat, position: int) -> table.HandSnapshot:
        number, steps = divmod(position, CHECKPOINT_EVENTS)
        mirror = HandMirror(seat, table.HandSnapshot.FromString(self._checkpoints[seat][number]))
        for event in self.events(seat, position - steps + 1, position + 1):
            mirror.apply(event)
        return mirror.hand

    def _make_checkpoints(self, seat: Seat) -> Iterator[bytes]:
        mirror = HandMirror(seat, table.HandSnapshot())
        for position, event in enumerate(self.events(seat, 0, len(self._events))):
            mirror.apply(event)
            if position % CHECKPOINT_EVENTS == 0:
                yield mirror.hand.SerializeToString()


def timeline_of(record_json: bytes) -> Timeline:
    """Plays a record again; returns what happened.

    Raises:
        RecordError: the record cannot be played.
    """
    record = orjson.loads(record_json)
    state, events = replay_record({key: value for key, value in record.items() if key not in _DERIVATION})
    assert state.is_over
    return Timeline(events, MatchLength(record.get("match_length", "full")))


def _seats(seat: Seat | None) -> tuple[Seat, ...]:
    return SEATS if seat is None else (seat,)


def _shown(hands: Sequence[Sequence[str]]) -> list[table.ShownHand]:
    return [table.ShownHand(seat=seat, concealed=tiles) for seat, tiles in enumerate(hands)]
