"""Tickets as the store keeps them and as players are told of them."""

from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from mahjong_matchmaker.pools import Pool

FIRST_RATING: Final = 1500
"""Of players whose rating is not known: that of new players."""


class TicketState(StrEnum):
    """Where a ticket is on its way."""

    QUEUED = "queued"
    """Waits in its pool."""
    FORMING = "forming"
    """Has left the pool for a match whose table is being made. Players see it as queued."""
    MATCHED = "matched"
    CANCELLED = "cancelled"
    EXPIRED = "expired"

    @property
    def is_live(self) -> bool:
        """Whether something can still become of the ticket."""
        return self in (TicketState.QUEUED, TicketState.FORMING)


@dataclass(frozen=True, slots=True)
class WaitingTicket:
    """A ticket in a pool, as waves see it."""

    ticket_id: str
    player_id: str
    display_name: str
    joined_at_ms: int
    """When the player joined, in milliseconds since the epoch; it stays when the ticket goes back into the pool."""
    watched_at_ms: int
    """When somebody last watched the ticket; joining counts."""
    rating: int = FIRST_RATING
    """Rating in the pool's rule set when the player joined."""
    party: tuple[str, ...] = ()
    """The players of the party that it belongs to, its own included; nobody if the player is alone."""
    met: AbstractSet[str] = frozenset()
    """Players whom the player has met in quick play of late."""


@dataclass(frozen=True, slots=True)
class Ticket:
    """A ticket as it is now."""

    ticket_id: str
    player_id: str
    pool: Pool
    state: TicketState
    joined_at_ms: int
    match_id: str = ""
    table_id: str = ""
    party: tuple[str, ...] = ()
    """The players of the party that it belongs to, the player included; nobody if the player is alone."""
    waiting_count: int = 0
    """Tickets in the pool; 0 once this one has left it."""
    oldest_joined_at_ms: int = 0
    """When the oldest ticket of the pool joined; 0 once this one has left the pool."""
    typical_wait_ms: int | None = None
    """How long tickets of the pool have waited of late; None if nobody was seated lately."""
