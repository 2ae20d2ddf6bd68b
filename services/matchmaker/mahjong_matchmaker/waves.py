"""Which waiting tickets make a table now. Pure: the tickets and the time come in, the groups come out."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from mahjong_matchmaker.ticket import WaitingTicket

SEATS: Final = 4

Group = tuple[WaitingTicket, ...]
"""One to four tickets for one table; computers take the seats that are left."""


@dataclass(frozen=True, slots=True)
class WaveRules:
    """What waves go by, in milliseconds."""

    fill_after_ms: int
    """After how long computers take the seats that are empty beside the oldest ticket."""
    absent_after_ms: int
    """After how long without a look at the ticket its player seems to have left."""


@dataclass(frozen=True, slots=True)
class Wave:
    """What shall happen in a pool."""

    groups: tuple[Group, ...]
    """Who plays now."""
    due_in_ms: int | None
    """When those who are left play at the latest; None if nobody is."""


def plan(tickets: Sequence[WaitingTicket], now_ms: int, rules: WaveRules) -> Wave:
    """Returns who shall play now.

    Four by four, oldest first; when the oldest of those that are left has waited long enough, they play with computers.
    Whoever seems to have left is passed over. Ratings do not count yet: windows that widen with the age of the oldest
    ticket belong here.

    Args:
        tickets: the tickets of one pool, oldest first.
        now_ms: the time, in milliseconds since the epoch.
        rules: the times to go by.
    """
    present = [ticket for ticket in tickets if now_ms <= ticket.watched_at_ms + rules.absent_after_ms]
    full = len(present) // SEATS * SEATS
    groups = [tuple(present[start : start + SEATS]) for start in range(0, full, SEATS)]
    rest = tuple(present[full:])
    due_in_ms = wait_left_ms(rest[0].joined_at_ms, now_ms, rules) if rest else None
    if due_in_ms == 0:
        return Wave((*groups, rest), None)
    return Wave(tuple(groups), due_in_ms)


def wait_left_ms(oldest_joined_at_ms: int, now_ms: int, rules: WaveRules) -> int:
    """Returns how long the tickets of a pool wait from now on at the most: until computers join the oldest one."""
    return max(oldest_joined_at_ms + rules.fill_after_ms - now_ms, 0)
