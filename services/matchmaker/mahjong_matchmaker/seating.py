"""Who sits where: matches that are planned but have no table yet."""

import secrets
import uuid
from collections.abc import Sequence
from dataclasses import astuple, dataclass
from typing import Any, Final

import orjson

from mahjong_matchmaker.pools import Pool, pool_named
from mahjong_matchmaker.waves import SEATS, Group
from mahjongplanet.game.v1.terms_pb2 import Clock, ComputerLevel, MatchLength, Occupant, RuleSet, TableKind
from mahjongplanet.table.v1.table_service_pb2 import CreateTableRequest

COMPUTER_NAMES: Final = (
    "Bulbul", "Crane", "Finch", "Heron", "Kestrel", "Kingfisher", "Lark", "Magpie", "Martin", "Nightingale", "Oriole",
    "Pipit", "Plover", "Robin", "Siskin", "Sparrow", "Starling", "Swift", "Tern", "Thrush", "Wagtail", "Wren",
)  # fmt: skip
"""Birds: mahjong is the game of the sparrow."""

_chance = secrets.SystemRandom()


@dataclass(frozen=True, slots=True)
class QueuedPlayer:
    """Somebody whom a ticket has brought into a match."""

    ticket_id: str
    player_id: str
    joined_at_ms: int


@dataclass(frozen=True, slots=True)
class PlannedMatch:
    """A match of quick play on its way to a table: written down before the table service hears of it."""

    pool: Pool
    players: tuple[QueuedPlayer, ...]
    """Oldest ticket first."""
    request: CreateTableRequest

    @property
    def match_id(self) -> str:
        """Id of the match; making its table again under this id changes nothing."""
        return self.request.match_id

    def to_json(self) -> bytes:
        """Returns the match as the store keeps it."""
        players = [astuple(player) for player in self.players]
        return orjson.dumps(
            {"pool": self.pool.name, "players": players, "request": self.request.SerializeToString().hex()}
        )

    @classmethod
    def from_json(cls, text: bytes) -> "PlannedMatch":
        """Returns the match that `to_json` has written."""
        fields: dict[str, Any] = orjson.loads(text)
        request = CreateTableRequest.FromString(bytes.fromhex(fields["request"]))
        return cls(pool_named(fields["pool"]), tuple(QueuedPlayer(*values) for values in fields["players"]), request)


def seat_group(pool: Pool, group: Group) -> PlannedMatch:
    """Returns a new match of a group and computers for the empty seats; the seats are drawn by lot."""
    people = [Occupant(player_id=ticket.player_id, display_name=ticket.display_name) for ticket in group]
    occupants = people + _computers([ComputerLevel.COMPUTER_LEVEL_BASIC] * (SEATS - len(people)))
    _chance.shuffle(occupants)
    request = CreateTableRequest(
        match_id=str(uuid.uuid4()),
        rule_set=pool.rule_set,
        clock=pool.clock,
        length=MatchLength.MATCH_LENGTH_FULL,
        table_kind=pool.table_kind,
        occupants=occupants,
    )
    players = (QueuedPlayer(ticket.ticket_id, ticket.player_id, ticket.joined_at_ms) for ticket in group)
    return PlannedMatch(pool, tuple(players), request)


def seat_practice(
    person: Occupant,
    rule_set: RuleSet.ValueType,
    clock: Clock.ValueType,
    length: MatchLength.ValueType,
    levels: Sequence[ComputerLevel.ValueType],
) -> CreateTableRequest:
    """Returns a new practice match: the computers follow the person in turn order, from a first seat drawn by lot."""
    occupants = [person, *_computers(levels)]
    first = _chance.randrange(SEATS)
    return CreateTableRequest(
        match_id=str(uuid.uuid4()),
        rule_set=rule_set,
        clock=clock,
        length=length,
        table_kind=TableKind.TABLE_KIND_PRACTICE,
        occupants=occupants[first:] + occupants[:first],
    )


def practice_terms(match: CreateTableRequest) -> tuple[int, int, int, Sequence[int]]:
    """Returns what the player has chosen of a practice match: rule set, clock, length and levels in turn order."""
    seat = next(number for number, occupant in enumerate(match.occupants) if occupant.player_id)
    levels = [match.occupants[(seat + turn) % SEATS].computer for turn in range(1, SEATS)]
    return match.rule_set, match.clock, match.length, levels


def seat_room(
    seats: Sequence[Occupant | ComputerLevel.ValueType],
    rule_set: RuleSet.ValueType,
    clock: Clock.ValueType,
    length: MatchLength.ValueType,
    *,
    by_lot: bool,
) -> CreateTableRequest:
    """Returns a new match of a private table: everybody where they sit in the room, or by lot."""
    names = iter(_chance.sample(COMPUTER_NAMES, SEATS))
    occupants = [
        seat if isinstance(seat, Occupant) else Occupant(computer=seat, display_name=next(names)) for seat in seats
    ]
    if by_lot:
        _chance.shuffle(occupants)
    return CreateTableRequest(
        match_id=str(uuid.uuid4()),
        rule_set=rule_set,
        clock=clock,
        length=length,
        table_kind=TableKind.TABLE_KIND_PRIVATE,
        occupants=occupants,
    )


def _computers(levels: Sequence[ComputerLevel.ValueType]) -> list[Occupant]:
    names = _chance.sample(COMPUTER_NAMES, len(levels))
    return [Occupant(computer=level, display_name=name) for level, name in zip(levels, names, strict=True)]
