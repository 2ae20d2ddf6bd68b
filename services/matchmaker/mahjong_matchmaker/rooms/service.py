"""What people do with rooms."""

import uuid
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import astuple, dataclass
from hashlib import sha256
from typing import Final

import orjson

from mahjong_kit.auth import Player
from mahjong_kit.errors import NotFoundError, invalid_field
from mahjong_kit.log import get_logger
from mahjong_matchmaker import limits
from mahjong_matchmaker.blocks import BlockList
from mahjong_matchmaker.errors import request_id_reused
from mahjong_matchmaker.leader import PoolLeader
from mahjong_matchmaker.limits import Limits
from mahjong_matchmaker.metrics import MatchmakerMetrics
from mahjong_matchmaker.pools import Pool
from mahjong_matchmaker.ratings import Ratings
from mahjong_matchmaker.rooms import errors
from mahjong_matchmaker.rooms import room as rules
from mahjong_matchmaker.rooms.changing import ATTEMPTS, Rooms, Rule, overrun
from mahjong_matchmaker.rooms.invites import Link, Links, new_code, read_code
from mahjong_matchmaker.rooms.room import Person, Room, RoomState, Seat, Settings
from mahjong_matchmaker.rooms.starting import Starting
from mahjong_matchmaker.rooms.store import BUSY_KEPT_S, KnownRequest, PartyMember, RoomOutcome, RoomStore, SeenRoom
from mahjong_matchmaker.rooms.watching import RoomView, connected
from mahjong_matchmaker.seating import seat_room
from mahjong_matchmaker.ticket import Ticket
from mahjong_matchmaker.ticket_store import TicketStore
from mahjongplanet.game.v1.terms_pb2 import Clock, ComputerLevel, Occupant

_PARTY_MIN: Final = 2
_QUEUE: Final = "queue"
_CODE_ATTEMPTS: Final = 5

_log = get_logger()


@dataclass(frozen=True, slots=True)
class Invitation:
    """How somebody finds a room: one of the three is set."""

    code: str = ""
    link_token: str = ""
    room_id: str = ""


class RoomService:
    """The use cases of rooms."""

    def __init__(
        self,
        store: RoomStore,
        rooms: Rooms,
        starting: Starting,
        tickets: TicketStore,
        withdraw: Callable[[Ticket], Awaitable[object]],
        limiter: Limits,
        ratings: Ratings,
        blocks: BlockList,
        links: Links,
        leaders: Mapping[Pool, PoolLeader],
        clock_ms: Callable[[], int],
        metrics: MatchmakerMetrics,
        *,
        gone_after_ms: int,
    ) -> None:
        self._store = store
        self._rooms = rooms
        self._starting = starting
        self._tickets = tickets
        self._withdraw = withdraw
        """Takes a ticket and those of its party out of the queue."""
        self._limits = limiter
        self._ratings = ratings
        self._blocks = blocks
        self._links = links
        self._leaders = leaders
        self._clock_ms = clock_ms
        self._metrics = metrics
        self._gone_after_ms = gone_after_ms

    async def create(
        self, host: Player, request_id: str, settings: Settings, computers: Sequence[ComputerLevel.ValueType | None]
    ) -> Room:
        """Opens a room; a repeated request gets the room of the first.

        Raises:
            AlreadyExistsError: `ALREADY_IN_ROOM`, `REQUEST_ID_REUSED`.
            NotFoundError: `ROOM_NOT_FOUND`: the request is an old one, and its room has closed.
            ThrottledError: `RATE_LIMITED`.
        """
        wish = _wish(settings, computers)
        known = await self._store.known_request(host.player_id, request_id)
        if known is not None:
            return await self._opened(host, request_id, wish, known)
        await self._limits.count(limits.ROOMS, host.player_id)
        for _ in range(_CODE_ATTEMPTS):
            current, pointer = await self._store.room_of(host.player_id)
            if current is not None:
                raise errors.already_in_room(current.room_id)
            room = self._new_room(host, settings, computers)
            outcome, known = await self._store.create(room, request_id, wish, pointer)
            if outcome is RoomOutcome.NEW:
                self._metrics.rooms_opened.inc()
                _log.info("room.opened", room_id=room.room_id, public=settings.public)
            if outcome in (RoomOutcome.NEW, RoomOutcome.KNOWN):
                return await self._opened(host, request_id, wish, known)
        raise overrun()

    async def find(self, player_id: str, invitation: Invitation) -> Room:
        """Returns the room that an invitation leads to.

        Raises:
            NotFoundError: `INVITE_NOT_FOUND`, `INVITE_EXPIRED`, `ROOM_NOT_FOUND`.
            ThrottledError: `RATE_LIMITED`: too many that lead nowhere.
        """
        await self._limits.check(limits.WRONG_INVITES, player_id)
        try:
            return await self._invited(player_id, invitation)
        except NotFoundError:
            await self._limits.count(limits.WRONG_INVITES, player_id)
            raise

    async def join(self, player: Player, invitation: Invitation) -> Room:
        """Takes a seat; who is in the room already gets it as it is.

        Raises:
            ServiceError: what `find` says, `RATE_LIMITED`, `ALREADY_IN_ROOM`, and what `room.joined` says.
        """
        found = await self.find(player.player_id, invitation)
        if found.has(player.player_id):
            return found
        await self._limits.count(limits.ROOMS, player.player_id)
        await self._settled(found)
        person = Person(player.player_id, player.display_name)
        for _ in range(ATTEMPTS):
            asked_about = {one.player_id for one in found.people}
            if await self._blocks.are_apart(player.player_id, list(asked_about)):
                raise errors.room_refused(found.room_id)
            found = await self._change(found.room_id, _joined_among(asked_about, person), comer=player.player_id)
            if found.has(player.player_id):
                return found
        raise overrun()

    async def leave(self, player_id: str, room_id: str) -> None:
        """Leaves a room; who is not in it changes nothing."""
        room = await self._store.read(room_id)
        if room is None or not room.has(player_id):
            return
        if room.state is RoomState.QUEUED:
            await self._withdraw_party(room, player_id)
        try:
            await self._rooms.change(room_id, lambda current: rules.left(current, player_id))
        except NotFoundError:
            return  # The last one was faster.

    async def mine(self, player_id: str) -> Room:
        """Returns the room that the player is in.

        Raises:
            NotFoundError: `ROOM_NOT_FOUND`.
        """
        room, _ = await self._store.room_of(player_id)
        if room is None:
            raise errors.room_not_found("")
        return await self._settled(room)

    async def member(self, player_id: str, room_id: str) -> Room:
        """Returns a room for one of its people, after what has become of its match.

        Raises:
            NotFoundError: `ROOM_NOT_FOUND`.
            ForbiddenError: `NOT_IN_ROOM`.
        """
        return await self._settled(await self._own(room_id, player_id))

    async def change(self, player_id: str, room_id: str, rule: Callable[[Room], Room]) -> Room:
        """Lets one of its people change a room, by a rule of room.py.

        Raises:
            ServiceError: what the rule says, `ROOM_NOT_FOUND`, `NOT_IN_ROOM`.
        """
        await self.member(player_id, room_id)
        return await self._change(room_id, rule)

    async def renew_invite(self, player_id: str, room_id: str) -> Room:
        """Gives a room a new invite."""
        code, expires_at_ms = new_code(), self._invite_end()
        return await self.change(
            player_id, room_id, lambda room: rules.with_invite(room, player_id, code, expires_at_ms)
        )

    async def start(self, player_id: str, room_id: str, request_id: str, fill: ComputerLevel.ValueType | None) -> Room:
        """Starts the match of a room; a repeated request comes to the table of the first.

        Raises:
            ServiceError: what keeps it from starting, as in the proto.
        """
        wish = f"start, fill by {fill or 0}"

        def rule(room: Room) -> Room:
            if rules.is_repeated(room, request_id, wish):
                return room
            rules.check_ready(room, player_id)
            if room.open_seats and fill is None:
                raise errors.seats_open(room_id, room.open_seats)
            return rules.starting(room, request_id, wish, _plan(room, fill), self._clock_ms())

        await self.member(player_id, room_id)
        room = await self._change(room_id, rule, are_idle=True)
        if room.state is not RoomState.STARTING:
            return room
        self._metrics.room_matches_started.inc()
        return _there(room_id, await self._starting.make_table(room))

    async def queue(self, player_id: str, room_id: str, request_id: str, authorization: str) -> Room:
        """Queues the people of a room as a party; a repeated request changes nothing.

        Raises:
            ServiceError: what keeps it from queueing, as in the proto.
        """
        await self.member(player_id, room_id)
        for _ in range(ATTEMPTS):
            room = await self._rooms.get(room_id)
            if rules.is_repeated(room, request_id, _QUEUE):
                return room
            rules.check_ready(room, player_id)
            if len(room.people) < _PARTY_MIN:
                raise errors.party_too_small(room_id)
            if room.settings.clock == Clock.CLOCK_UNTIMED:
                raise invalid_field("room_id", "an untimed room cannot queue")
            if busy := await self._starting.playing_elsewhere(room):
                raise errors.player_busy(room_id, busy)
            pool = party_pool(room)
            ratings = await self._ratings.of([one.player_id for one in room.people], pool.rule_set, authorization)
            members = [
                PartyMember(str(uuid.uuid4()), one.player_id, one.display_name, ratings[one.player_id])
                for one in room.people
            ]
            ticket_id = next(one.ticket_id for one in members if one.player_id == player_id)
            after = rules.queued(room, request_id, _QUEUE, ticket_id, self._clock_ms())
            if await self._rooms.queue(room, after, pool, members):
                self._metrics.tickets_joined.labels(pool.name).inc(len(members))
                _log.info("room.queued", room_id=room_id, pool=pool.name, people=len(members))
                self._leaders[pool].look()
                return await self._rooms.get(room_id)
        raise overrun()

    async def settle(self, seen: SeenRoom, watchers: Iterable[str]) -> None:
        """Finds out what has become of a watched room: its match, its party, and people who have gone away."""
        room, now_ms = seen.room, self._clock_ms()
        if room.state is RoomState.QUEUED:
            await self._tickets.observe(party_pool(room), [one for one in watchers if room.has(one)], now_ms)
        if room.state is not RoomState.OPEN:
            await self._starting.settle(room)
            return
        for person in room.people:
            last_ms = max(seen.watched_at_ms.get(person.player_id, 0), room.changed_at_ms)
            if now_ms > last_ms + self._gone_after_ms:
                _log.info("room.left_unseen", room_id=room.room_id, player_id=person.player_id)
                await self._rooms.change(room.room_id, _without_if_open(person.player_id))

    async def view(self, room: Room) -> RoomView:
        """Returns a room with those of its people who watch it."""
        (seen,) = await self._store.read_all([room.room_id])
        watched_at_ms = {} if seen is None else seen.watched_at_ms
        return RoomView(room, connected(watched_at_ms, room, self._clock_ms()))

    def link(self, room: Room) -> str:
        """Returns the text of the room's link."""
        return self._links.sign(Link(room.room_id, room.generation, room.invite_expires_at_ms))

    async def _invited(self, player_id: str, invitation: Invitation) -> Room:
        if invitation.room_id:
            room = await self._rooms.get(invitation.room_id)
            if not (room.settings.public or room.has(player_id)):
                raise errors.room_not_found(invitation.room_id)
            return room
        if invitation.link_token:
            link = self._links.read(invitation.link_token)
            if link is None:
                raise errors.invite_not_found()
            room_id, generation, code = link.room_id, link.generation, None
        else:
            code = read_code(invitation.code)
            found = None if code is None else await self._store.find_invite(code)
            if found is None:
                raise errors.invite_not_found()
            room_id, generation = found, None
        current = await self._store.read(room_id)
        if current is None or self._clock_ms() >= current.invite_expires_at_ms:
            raise errors.invite_expired()
        if generation not in (None, current.generation) or code not in (None, current.code):
            raise errors.invite_expired()
        return current

    async def _opened(self, host: Player, request_id: str, wish: str, known: KnownRequest) -> Room:
        if known.wish not in ("", wish):
            raise request_id_reused(request_id)
        return await self._own(known.room_id, host.player_id)

    async def _own(self, room_id: str, player_id: str) -> Room:
        room = await self._rooms.get(room_id)
        rules.check_member(room, player_id)
        return room

    async def _settled(self, room: Room) -> Room:
        return _there(room.room_id, await self._starting.settle(room))

    async def _change(self, room_id: str, rule: Rule, *, comer: str | None = None, are_idle: bool = False) -> Room:
        return _there(room_id, await self._rooms.change(room_id, rule, comer=comer, are_idle=are_idle))

    async def _withdraw_party(self, room: Room, player_id: str) -> None:
        ticket = await self._tickets.newest(player_id)
        if ticket is not None and rules.is_queued_by(room, ticket):
            await self._withdraw(ticket)

    def _invite_end(self) -> int:
        return (self._clock_ms() // 1000 + BUSY_KEPT_S) * 1000  # Whole seconds: so links say it.

    def _new_room(self, host: Player, settings: Settings, computers: Sequence[ComputerLevel.ValueType | None]) -> Room:
        now_ms = self._clock_ms()
        seats: list[Seat] = [Person(host.player_id, host.display_name), *computers]
        return Room(
            room_id=str(uuid.uuid4()),
            settings=settings,
            seats=(*seats, *[None] * (4 - len(seats))),
            host_id=host.player_id,
            code=new_code(),
            invite_expires_at_ms=self._invite_end(),
            created_at_ms=now_ms,
            changed_at_ms=now_ms,
        )


def party_pool(room: Room) -> Pool:
    """Returns the pool that the people of a room queue in."""
    return Pool(room.settings.rule_set, rated=False, clock=room.settings.clock)


def _wish(settings: Settings, computers: Sequence[ComputerLevel.ValueType | None]) -> str:
    """Returns what tells requests for unlike rooms apart."""
    return sha256(orjson.dumps([astuple(settings), computers])).hexdigest()


def _plan(room: Room, fill: ComputerLevel.ValueType | None) -> str:
    seats = [
        Occupant(player_id=seat.player_id, display_name=seat.display_name)
        if isinstance(seat, Person)
        else seat or fill or ComputerLevel.COMPUTER_LEVEL_BASIC
        for seat in room.seats
    ]
    settings = room.settings
    request = seat_room(seats, settings.rule_set, settings.clock, settings.length, by_lot=settings.seats_by_lot)
    return request.SerializeToString().hex()


def _without_if_open(player_id: str) -> Rule:
    return lambda room: rules.left(room, player_id) if room.state is RoomState.OPEN else room


def _joined_among(asked_about: AbstractSet[str], person: Person) -> Rule:
    """Returns the rule by which a person comes into a room, unless somebody is there who was not asked about."""

    def rule(room: Room) -> Room:
        return rules.joined(room, person) if {one.player_id for one in room.people} <= asked_about else room

    return rule


def _there(room_id: str, room: Room | None) -> Room:
    if room is None:
        raise errors.room_not_found(room_id)
    return room
