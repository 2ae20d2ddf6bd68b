"""What a match is played on: fixed when its table opens, the same in every report of it."""

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from mahjong_engine.match import MatchLength
from mahjong_engine.state import SEATS, BySeat
from mahjong_engine.tile import Seat
from mahjong_table.core.clock import Clock


class TableKind(StrEnum):
    """What kind of table a match is played at."""

    RATED = "rated"
    CASUAL = "casual"
    PRACTICE = "practice"
    PRIVATE = "private"


class Level(StrEnum):
    """How well a computer plays."""

    BASIC = "basic"
    STRONG = "strong"


@dataclass(frozen=True, slots=True)
class Occupant:
    """Who sits on a seat: a player or a computer."""

    name: str
    player_id: str | None = None
    level: Level | None = None


@dataclass(frozen=True, slots=True)
class Terms:
    """The terms of one match."""

    match_id: str
    rule_set: str
    clock: Clock
    length: MatchLength
    kind: TableKind
    occupants: BySeat[Occupant]
    people: tuple[Seat, ...] = field(init=False, repr=False, compare=False)
    """The seats of people, ascending."""

    def __post_init__(self) -> None:
        """Finds the people once: every step of the table asks for them."""
        people = tuple(seat for seat in SEATS if self.occupants[seat].player_id is not None)
        object.__setattr__(self, "people", people)

    def seat_of(self, player_id: str) -> Seat | None:
        """Returns the seat of a player, if it has one."""
        return next((seat for seat in SEATS if self.occupants[seat].player_id == player_id), None)

    def as_json(self) -> dict[str, Any]:
        """Returns the terms as they are stored; equal terms give equal JSON."""
        return {
            "match_id": self.match_id,
            "rule_set": self.rule_set,
            "clock": self.clock.value,
            "length": self.length.value,
            "kind": self.kind.value,
            "occupants": [
                {"name": o.name, "player_id": o.player_id, "level": o.level and o.level.value} for o in self.occupants
            ],
        }


def terms_from_json(value: dict[str, Any]) -> Terms:
    """Returns the terms that `Terms.as_json` stored."""
    a, b, c, d = (
        Occupant(o["name"], o["player_id"], Level(o["level"]) if o["level"] else None) for o in value["occupants"]
    )
    return Terms(
        value["match_id"],
        value["rule_set"],
        Clock(value["clock"]),
        MatchLength(value["length"]),
        TableKind(value["kind"]),
        (a, b, c, d),
    )
