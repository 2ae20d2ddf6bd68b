"""A room and what may happen to it. Pure: who asks, the room and the time come in, the next room comes out."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from enum import StrEnum
from typing import Any, Final, TypeAlias

import orjson

from mahjong_matchmaker.errors import request_id_reused
from mahjong_matchmaker.rooms import errors
from mahjong_matchmaker.ticket import Ticket
from mahjong_matchmaker.waves import SEATS
from mahjongplanet.game.v1.terms_pb2 import Clock, ComputerLevel, MatchLength, RuleSet

KEPT_OUT_MAX: Final = 50
"""Most people whom a room keeps out; the first ones are forgotten."""


class RoomState(StrEnum):
    """What a room does now."""

    OPEN = "open"
    STARTING = "starting"
    """Its match is written down here; its table is being made."""
    PLAYING = "playing"
    QUEUED = "queued"


@dataclass(frozen=True, slots=True)
class Settings:
    """What the host chooses."""

    rule_set: RuleSet.ValueType
    clock: Clock.ValueType
    length: MatchLength.ValueType
    public: bool = False
    seats_by_lot: bool = False


@dataclass(frozen=True, slots=True)
class Person:
    """Somebody on a seat."""

    player_id: str
    display_name: str
    ready: bool = False


Seat: TypeAlias = "Person | ComputerLevel.ValueType | None"
"""A person, a computer, or nobody."""


@dataclass(frozen=True, slots=True)
class Room:
    """Up to four people and what they are going to play. There is always a host, and it is one of them."""

    room_id: str
    settings: Settings
    seats: tuple[Seat, ...]
    host_id: str
    code: str
    """Invite code."""
    invite_expires_at_ms: int
    """When the code and the links of this generation end."""
    created_at_ms: int
    generation: int = 0
    """Counts the invites; links of older ones lead nowhere."""
    version: int = 1
    state: RoomState = RoomState.OPEN
    kept_out: tuple[str, ...] = ()
    """People whom the host has removed."""
    request_id: str = ""
    """Request that the last match or the waiting party came from."""
    request_wish: str = ""
    """What that request asked for; empty if an earlier release took it."""
    changed_at_ms: int = 0
    """When the state became what it is."""
    plan: str = ""
    """While STARTING: the CreateTableRequest, in hex."""
    ticket_id: str = ""
    """While QUEUED: the host's ticket."""
    table_id: str = ""
    match_id: str = ""
    match_count: int = 0

    @property
    def people(self) -> tuple[Person, ...]:
        """The people, by seat."""
        return tuple(seat for seat in self.seats if isinstance(seat, Person))

    @property
    def open_seats(self) -> tuple[int, ...]:
        """Numbers of the seats that nobody has."""
        return tuple(number for number, seat in enumerate(self.seats) if seat is None)

    @property
    def is_listed(self) -> bool:
        """Whether strangers may find it."""
        return self.settings.public and self.state is RoomState.OPEN and bool(self.open_seats)

    def has(self, player_id: str) -> bool:
        """Whether the player is in it."""
        return any(person.player_id == player_id for person in self.people)

    def to_json(self) -> bytes:
        """Returns the room as the store keeps it."""
        return orjson.dumps(asdict(self))

    @classmethod
    def from_json(cls, text: bytes) -> "Room":
        """Returns the room that `to_json` has written."""
        fields: dict[str, Any] = orjson.loads(text)
        seats = tuple(Person(**seat) if isinstance(seat, dict) else seat for seat in fields.pop("seats"))
        return cls(
            settings=Settings(**fields.pop("settings")),
            seats=seats,
            state=RoomState(fields.pop("state")),
            kept_out=tuple(fields.pop("kept_out")),
            **fields,
        )


def check_member(room: Room, player_id: str) -> None:
    """Raises `NOT_IN_ROOM` unless the player is in the room."""
    if not room.has(player_id):
        raise errors.not_in_room(room.room_id)


def check_host(room: Room, player_id: str) -> None:
    """Raises `NOT_IN_ROOM` or `NOT_THE_HOST` unless the player is the host."""
    check_member(room, player_id)
    if room.host_id != player_id:
        raise errors.not_the_host(room.room_id)


def check_open(room: Room) -> None:
    """Raises `ROOM_NOT_OPEN` unless the room is open."""
    if room.state is not RoomState.OPEN:
        raise errors.room_not_open(room.room_id, room.state)


def joined(room: Room, person: Person) -> Room:
    """Returns the room with a person on its first open seat; who is in it already changes nothing."""
    if room.has(person.player_id):
        return room
    if person.player_id in room.kept_out:
        raise errors.room_refused(room.room_id)
    check_open(room)
    if not room.open_seats:
        raise errors.room_full(room.room_id)
    return _seated(room, room.open_seats[0], person)


def left(room: Room, player_id: str) -> Room | None:
    """Returns the room without a person; None if that was the last one. Hosting goes to the next seat's person."""
    seat = next((number for number, one in enumerate(room.seats) if _is(one, player_id)), None)
    if seat is None:
        return room
    after = _seated(room, seat, None)
    if not after.people:
        return None
    if room.host_id != player_id:
        return after
    turns = [after.seats[(seat + turn) % SEATS] for turn in range(1, SEATS)]
    return replace(after, host_id=next(one.player_id for one in turns if isinstance(one, Person)))


def kicked(room: Room, host_id: str, player_id: str) -> Room:
    """Returns the room without a person, who cannot come back."""
    check_host(room, host_id)
    check_open(room)
    if player_id == host_id:
        raise errors.host_stays()
    after = left(room, player_id) or room
    kept_out = (*(one for one in room.kept_out if one != player_id), player_id)
    return replace(after, kept_out=kept_out[-KEPT_OUT_MAX:])


def moved(room: Room, player_id: str, seat: int) -> Room:
    """Returns the room with a person on another seat."""
    check_member(room, player_id)
    check_open(room)
    if _is(room.seats[seat], player_id):
        return room
    if room.seats[seat] is not None:
        raise errors.seat_taken(room.room_id, seat)
    before = next(number for number, one in enumerate(room.seats) if _is(one, player_id))
    return _seated(_seated(room, before, None), seat, room.seats[before])


def with_computer(room: Room, host_id: str, seat: int, computer: ComputerLevel.ValueType | None) -> Room:
    """Returns the room with a computer on a seat, or with the seat open."""
    check_host(room, host_id)
    check_open(room)
    if isinstance(room.seats[seat], Person):
        raise errors.seat_taken(room.room_id, seat)
    return room if room.seats[seat] == computer else _unready(_seated(room, seat, computer))


def with_settings(room: Room, host_id: str, settings: Settings) -> Room:
    """Returns the room with other settings; everybody has to be ready for them anew."""
    check_host(room, host_id)
    check_open(room)
    return room if room.settings == settings else _unready(replace(room, settings=settings))


def with_ready(room: Room, player_id: str, *, ready: bool) -> Room:
    """Returns the room with a person ready or not."""
    check_member(room, player_id)
    check_open(room)
    seats = tuple(
        replace(seat, ready=ready) if isinstance(seat, Person) and seat.player_id == player_id else seat
        for seat in room.seats
    )
    return replace(room, seats=seats)


def with_invite(room: Room, host_id: str, code: str, expires_at_ms: int) -> Room:
    """Returns the room with a new invite; the old ones lead nowhere."""
    check_host(room, host_id)
    check_open(room)
    return replace(room, code=code, invite_expires_at_ms=expires_at_ms, generation=room.generation + 1)


def check_ready(room: Room, host_id: str) -> None:
    """Raises `PLAYERS_NOT_READY` and what else keeps the host from starting."""
    check_host(room, host_id)
    check_open(room)
    waited_for = [one.player_id for one in room.people if not one.ready and one.player_id != host_id]
    if waited_for:
        raise errors.players_not_ready(room.room_id, waited_for)


def is_repeated(room: Room, request_id: str, wish: str) -> bool:
    """Whether the last match or the waiting party came from this request.

    Raises:
        AlreadyExistsError: `REQUEST_ID_REUSED`: it did, with another wish.
    """
    if room.request_id != request_id:
        return False
    if room.request_wish not in ("", wish):
        raise request_id_reused(request_id)
    return True


def starting(room: Room, request_id: str, wish: str, plan: str, now_ms: int) -> Room:
    """Returns the room on its way to a table."""
    return _asked(replace(room, state=RoomState.STARTING, plan=plan, changed_at_ms=now_ms), request_id, wish)


def queued(room: Room, request_id: str, wish: str, ticket_id: str, now_ms: int) -> Room:
    """Returns the room as a waiting party."""
    return _asked(replace(room, state=RoomState.QUEUED, ticket_id=ticket_id, changed_at_ms=now_ms), request_id, wish)


def is_queued_by(room: Room, ticket: Ticket) -> bool:
    """Whether one of the people of a QUEUED room got this ticket by its queueing.

    The host may have gone whose ticket the room names; those of the party were all made at its queueing.
    """
    return ticket.ticket_id == room.ticket_id or (bool(ticket.party) and ticket.joined_at_ms >= room.changed_at_ms)


def playing(room: Room, match_id: str, table_id: str, now_ms: int) -> Room:
    """Returns the room at its table."""
    return replace(
        room,
        state=RoomState.PLAYING,
        plan="",
        ticket_id="",
        match_id=match_id,
        table_id=table_id,
        match_count=room.match_count + 1,
        changed_at_ms=now_ms,
    )


def reopened(room: Room, now_ms: int, *, forget_request: bool = False) -> Room:
    """Returns the room open again, after a match or when nothing came of its start; nobody is ready.

    Args:
        room: the room.
        now_ms: the time, in milliseconds since the epoch.
        forget_request: whether the request that came to nothing may be sent again.
    """
    request_id = "" if forget_request else room.request_id
    after = replace(room, state=RoomState.OPEN, plan="", ticket_id="", request_id=request_id, changed_at_ms=now_ms)
    return after if forget_request else _unready(after)


def _asked(room: Room, request_id: str, wish: str) -> Room:
    return replace(room, request_id=request_id, request_wish=wish)


def _seated(room: Room, number: int, occupant: Seat) -> Room:
    return replace(room, seats=tuple(occupant if seat == number else one for seat, one in enumerate(room.seats)))


def _unready(room: Room) -> Room:
    seats: Sequence[Seat] = [replace(one, ready=False) if isinstance(one, Person) else one for one in room.seats]
    return replace(room, seats=tuple(seats))


def _is(seat: Seat, player_id: str) -> bool:
    return isinstance(seat, Person) and seat.player_id == player_id
