"""What a seat may see: the only source of what any client or computer player is shown (C62-C64, T64-T66).

A view is the same whenever only tiles differ that are hidden from the seat. It does not tell who else is asked, who has
passed, or whether a discard was the drawn tile.
"""

from dataclasses import replace
from typing import NamedTuple

from mahjong_engine.event import Drew, Event, HandDealt, HandEnded, TurnStarted, Wall
from mahjong_engine.hand import open_decision
from mahjong_engine.keys import Keys, tiles_of
from mahjong_engine.meld import Meld
from mahjong_engine.settlement import WinSource
from mahjong_engine.state import SEATS, BySeat, Decision, HandState, Phase, Scores
from mahjong_engine.tile import Seat, Tile, seat_wind


class HandView(NamedTuple):
    """One hand as one seat sees it. Fields by seat are tuples of four."""

    seat: Seat
    """The viewer."""
    rule_set: str
    hand: int
    dealer: Seat
    round_wind: Tile
    dealer_changes: int
    dealer_wins: int
    scores: Scores
    """Before the hand."""
    is_opening: bool
    """Before East's first turn."""
    turn: Seat | None
    """Whose turn it is, until the discard is settled; None in the opening and after the hand."""
    drew_from: Wall | None
    """The wall that the seat in turn drew its tile from; None before and after, and for East's dealt tiles."""
    keys: Keys
    """The viewer's concealed tiles, the drawn tile included."""
    drawn: Tile | None
    """The viewer's drawn tile in its own turn."""
    concealed_counts: BySeat[int]
    melds: BySeat[tuple[Meld, ...]]
    bonus: BySeat[tuple[Tile, ...]]
    ponds: BySeat[tuple[Tile, ...]]
    original_calls: BySeat[bool]
    discard_counts: BySeat[int]
    """Discards that each seat has made, claimed ones included."""
    live_tiles_left: int
    reserve_tiles_left: int
    offered: Tile | None
    """The discard or kong tile that still lies open to claims, or the eighth flower while it is offered."""
    offered_by: Seat | None
    decision: Decision | None
    """The viewer's own open decision."""
    result: HandEnded | None

    @property
    def concealed(self) -> tuple[Tile, ...]:
        """The viewer's concealed tiles, sorted, the drawn tile included."""
        return tiles_of(self.keys)

    @property
    def wind(self) -> Tile:
        """The viewer's seat wind."""
        return seat_wind(self.seat, self.dealer)


_DREW_FROM = {
    WinSource.LIVE_WALL: Wall.LIVE,
    WinSource.KONG_REPLACEMENT: Wall.RESERVE,
    WinSource.FLOWER_REPLACEMENT: Wall.RESERVE,
}


def view(state: HandState, seat: Seat) -> HandView:
    """Returns all that a seat may see of a hand.

    Raises:
        ValueError: there is no such seat; a hand has no view for onlookers.
    """
    if not 0 <= seat <= 3:
        raise ValueError(f"no seat {seat}")
    # In the order of the fields; reading them by name would take twice as long.
    (
        deal,
        phase,
        is_opening,
        actor,
        keys,
        concealed_counts,
        melds,
        bonus,
        ponds,
        original_calls,
        discard_counts,
        _,
        live_front,
        live_end,
        reserve_taken,
        drawn,
        source,
        offered,
        *_,
        result,
    ) = state
    rules, in_turn, is_over = deal.rule_set, phase is Phase.TURN, phase is Phase.OVER
    return HandView(
        seat,
        rules.name,
        deal.hand,
        deal.dealer,
        deal.round_wind,
        deal.dealer_changes,
        deal.dealer_wins,
        deal.scores,
        is_opening,
        None if is_opening or is_over else actor,
        _DREW_FROM.get(source) if in_turn and source else None,
        keys[seat],
        drawn if in_turn and actor == seat else None,
        concealed_counts,
        melds,
        bonus,
        ponds,
        original_calls,
        discard_counts,
        live_end - live_front,
        rules.reserve_tiles_left(reserve_taken),
        None if is_over else offered,
        None if is_over or offered is None else _owner(state),
        open_decision(state, seat),
        result,
    )


def _owner(state: HandState) -> Seat:
    """Returns whose tile is offered: the actor's, but of the eighth flower the seat that has no other."""
    if state.phase is Phase.ROB_FLOWER:
        return next(seat for seat in SEATS if len(state.bonus[seat]) == 1)
    return state.actor


def view_event(event: Event, seat: Seat) -> Event:
    """Returns an event as a seat may see it, hidden tiles left out."""
    if isinstance(event, Drew) and event.seat != seat:
        return event._replace(tile=None)
    if isinstance(event, TurnStarted) and event.drawn is not None and event.seat != seat:
        return replace(event, drawn=None)
    if isinstance(event, HandDealt):
        return replace(event, concealed=tuple(event.concealed[s] if s == seat else None for s in SEATS))
    return event
