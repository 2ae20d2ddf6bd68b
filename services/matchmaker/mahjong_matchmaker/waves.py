"""Which waiting tickets make a table now. Pure: the tickets and the time come in, the groups come out."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from mahjong_matchmaker import grouping
from mahjong_matchmaker.grouping import Blocks, GroupRules, Unit
from mahjong_matchmaker.ticket import WaitingTicket

SEATS: Final = grouping.SEATS

Group = tuple[WaitingTicket, ...]
"""One to four tickets for one table; computers take the seats that are left."""


@dataclass(frozen=True, slots=True)
class WaveRules(GroupRules):
    """What waves go by."""

    absent_after_ms: int = 10_000
    """After how long without a look at the ticket its player seems to have left."""


@dataclass(frozen=True, slots=True)
class Wave:
    """What shall happen in a pool."""

    groups: tuple[Group, ...]
    """Who plays now."""
    due_in_ms: int | None
    """When computers join the oldest of those who are left; None if nobody is left."""
    broken: Group = ()
    """Tickets of parties of which somebody has left the pool: they end."""


def plan(
    tickets: Sequence[WaitingTicket],
    now_ms: int,
    rules: WaveRules,
    blocks: Blocks | None = None,
    *,
    are_all: bool = True,
) -> Wave:
    """Returns who shall play now: see `grouping`.

    Whoever has waited long enough plays with those in their window, and with computers. Whoever seems to have left is
    passed over, and so is their party.

    Args:
        tickets: the tickets of one pool, oldest first.
        now_ms: the time, in milliseconds since the epoch.
        rules: what to go by.
        blocks: who must not meet.
        are_all: whether the pool has no others; else the last party may be cut.
    """
    units, broken = _units(tickets, blocks or {})
    watched_since_ms = now_ms - rules.absent_after_ms
    present = [unit for unit in units if all(one.watched_at_ms >= watched_since_ms for one in unit.tickets)]
    tables = grouping.group_units(present, now_ms, rules)
    groups = tuple(tuple(ticket for unit in table for ticket in unit.tickets) for table in tables)
    seated = {ticket.player_id for group in groups for ticket in group}
    left = [unit.joined_at_ms for unit in present if unit.tickets[0].player_id not in seated]
    due_in_ms = wait_left_ms(min(left), now_ms, rules) if left else None
    cut = None if are_all or not tickets else tickets[-1].party
    return Wave(groups, due_in_ms, tuple(ticket for ticket in broken if ticket.party != cut))


def wait_left_ms(oldest_joined_at_ms: int, now_ms: int, rules: GroupRules) -> int:
    """Returns how long the oldest ticket of a pool waits from now on at the most: until computers join it."""
    return max(oldest_joined_at_ms + rules.fill_after_ms - now_ms, 0)


def _units(tickets: Sequence[WaitingTicket], blocks: Blocks) -> tuple[list[Unit], Group]:
    """Puts parties together; returns the units, oldest first, and the tickets of parties that are not whole."""
    units: list[Unit] = []
    parties: dict[tuple[str, ...], list[WaitingTicket]] = {}
    for ticket in tickets:
        if not ticket.party:
            units.append(grouping.unit_of((ticket,), blocks))
            continue
        members = parties.setdefault(ticket.party, [])
        members.append(ticket)
        if len(members) == len(ticket.party):
            units.append(grouping.unit_of(tuple(members), blocks))
            del parties[ticket.party]
    return units, tuple(ticket for members in parties.values() for ticket in members)
