"""A computer player that decides for a seat through the gateway: the engine's own, given what the stream has shown."""

from collections.abc import Sequence
from typing import Final, TypeVar

from mahjong_engine.action import (
    CALL_ORIGINAL,
    CONTINUE,
    DECLINE_ORIGINAL,
    PASS,
    PUNG,
    ROB_FLOWER,
    WIN,
    Action,
    Chow,
    Discard,
    Kong,
)
from mahjong_engine.bots import decide
from mahjong_engine.event import Wall
from mahjong_engine.keys import keys_of
from mahjong_engine.meld import Meld, MeldKind
from mahjong_engine.state import SEATS, BySeat, ClockKind, Decision, Phase
from mahjong_engine.tile import TILES, Seat, Tile
from mahjong_engine.view import HandView
from mahjongplanet.game.v1 import terms_pb2 as terms
from mahjongplanet.table.v1 import event_pb2 as pb

T = TypeVar("T")

_PLAIN_ACTIONS: Final[dict[int, Action]] = {
    terms.ACTION_KIND_CONTINUE: CONTINUE,
    terms.ACTION_KIND_ORIGINAL_CALL: CALL_ORIGINAL,
    terms.ACTION_KIND_NO_ORIGINAL_CALL: DECLINE_ORIGINAL,
    terms.ACTION_KIND_PUNG: PUNG,
    terms.ACTION_KIND_WIN: WIN,
    terms.ACTION_KIND_ROB_FLOWER: ROB_FLOWER,
    terms.ACTION_KIND_PASS: PASS,
}


class Computer:
    """Decides by a level of the engine's computer players."""

    def __init__(self, level: str) -> None:
        self._level = level

    async def choose(self, table: pb.TableSnapshot) -> terms.Action:
        """Returns the level's choice among the options of the table's open decision."""
        return chosen(self._level, table)

    async def confirm(self, table: pb.TableSnapshot) -> None:
        """Has seen every result at once."""


def chosen(level: str, table: pb.TableSnapshot) -> terms.Action:
    """Returns a level's choice among the options of the table's open decision."""
    options = {_action(option): option for option in table.decision.options}
    return options[decide(level, hand_view(table))]


def hand_view(table: pb.TableSnapshot) -> HandView:
    """Returns the engine's view of what a snapshot shows of a hand that is played."""
    hand = table.hand
    seats = sorted(hand.seats, key=lambda seat: seat.seat)
    melds = [tuple(map(_meld, seat.melds)) for seat in seats]
    ponds = [tuple(TILES[code] for code in seat.pond) for seat in seats]
    bonus = [tuple(TILES[code] for code in seat.bonus) for seat in seats]
    turn = Seat(hand.turn_seat) if hand.HasField("turn_seat") else None
    viewer = Seat(table.seat)
    return HandView(
        seat=viewer,
        rule_set=_short_name(terms.RuleSet.Name(table.rule_set), "RULE_SET_"),
        hand=hand.hand_number,
        dealer=Seat(hand.dealer),
        round_wind=TILES[hand.round_wind],
        dealer_changes=hand.dealer_changes,
        dealer_wins=hand.dealer_wins,
        scores=(seats[0].score, seats[1].score, seats[2].score, seats[3].score),
        is_opening=turn is None,
        turn=turn,
        drew_from=Wall.LIVE if turn == viewer and hand.drawn else None,
        keys=keys_of(TILES[code] for code in hand.concealed),
        drawn=TILES[hand.drawn] if hand.drawn else None,
        concealed_counts=_by_seat([seat.concealed_count for seat in seats]),
        melds=_by_seat(melds),
        bonus=_by_seat(bonus),
        ponds=_by_seat(ponds),
        original_calls=_by_seat([seat.original_call for seat in seats]),
        # Each claimed discard lies in one meld, so that all discards together are counted right.
        discard_counts=_by_seat([len(ponds[seat]) + _claimed_from(melds, seat) for seat in SEATS]),
        live_tiles_left=hand.live_tiles_left,
        reserve_tiles_left=hand.reserve_tiles_left,
        offered=TILES[hand.open_tile] if hand.open_tile else None,
        offered_by=Seat(hand.open_tile_seat) if hand.HasField("open_tile_seat") else None,
        decision=_decision(table.decision, viewer) if table.HasField("decision") else None,
        result=None,
    )


def _by_seat(values: Sequence[T]) -> BySeat[T]:
    a, b, c, d = values
    return a, b, c, d


def _claimed_from(melds: list[tuple[Meld, ...]], seat: Seat) -> int:
    return sum(meld.from_seat == seat for row in melds for meld in row)


def _decision(decision: pb.Decision, viewer: Seat) -> Decision:
    phase = Phase(_short_name(terms.Phase.Name(decision.phase), "PHASE_"))
    return Decision(viewer, phase, tuple(map(_action, decision.options)), ClockKind.NONE)


def _meld(meld: terms.Meld) -> Meld:
    return Meld(
        MeldKind(_short_name(terms.MeldKind.Name(meld.kind), "MELD_KIND_")),
        TILES[meld.tiles[0]],
        TILES[meld.claimed_tile] if meld.claimed_tile else None,
        Seat(meld.from_seat) if meld.HasField("from_seat") else None,
    )


def _action(action: terms.Action) -> Action:
    match action.kind:
        case terms.ACTION_KIND_DISCARD:
            return Discard(TILES[action.tile], action.original_call)
        case terms.ACTION_KIND_KONG:
            kind = MeldKind(_short_name(terms.MeldKind.Name(action.kong_kind), "MELD_KIND_"))
            return Kong(kind, TILES[action.tile])
        case terms.ACTION_KIND_CHOW:
            one, two = (TILES[code] for code in action.tiles)
            return Chow((Tile(one), Tile(two)))
    return _PLAIN_ACTIONS[action.kind]


def _short_name(name: str, prefix: str) -> str:
    """Returns the engine's name of a wire enum value: `PHASE_ROB_KONG` is `rob_kong`."""
    return name.removeprefix(prefix).lower()
