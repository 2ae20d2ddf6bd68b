"""Who of a pool sits with whom: by rating, oldest first. Pure, and O(n log n) in the number of tickets.

Everything is on one line, the ratings. The oldest ticket is looked at first and gets the best table that there is for
it: of the tables made of its neighbours on the line, within its window, the one with the smallest spread. Whoever is
taken leaves the line, so each later ticket finds its nearest free neighbours in a few steps; sorting is all that grows
faster than the pool. The window of a ticket widens with its age and is never narrowed again.
"""

from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from mahjong_matchmaker.ticket import WaitingTicket

SEATS: Final = 4
_NEIGHBOURS: Final = 6
"""Most neighbours on either side that are tried; three would do if everybody came alone and avoided nobody."""
_STEPS_MAX: Final = 40
"""Most neighbours on either side that are looked at, those whom the ticket avoids included."""
_NOBODY: Final[frozenset[str]] = frozenset()

Blocks = Mapping[str, AbstractSet[str]]
"""For each player those whom they must not meet, or who must not meet them."""


@dataclass(frozen=True, slots=True)
class GroupRules:
    """What makes a table good enough."""

    fill_after_ms: int
    """Age at which a ticket plays with whoever is in its window, and computers."""
    window_points: int = 20
    """How far from its rating a new ticket looks."""
    widening_points_per_s: int = 40
    """How much farther with each second of its age."""
    meet_again_after_ms: int = 5_000
    """Age from which a ticket plays with recent opponents again."""

    def window(self, age_ms: int) -> float:
        """Returns how far from its rating a ticket of an age looks."""
        return self.window_points + self.widening_points_per_s * max(age_ms, 0) / 1000


@dataclass(frozen=True, slots=True)
class Unit:
    """Tickets that sit at one table or at none: a player alone, or a party."""

    tickets: tuple[WaitingTicket, ...]
    rating: float
    """The mean of theirs."""
    joined_at_ms: int
    met: AbstractSet[str] = _NOBODY
    """Players whom they have played with of late."""
    blocks: AbstractSet[str] = _NOBODY
    """Players whom they must not meet."""

    @property
    def is_plain(self) -> bool:
        """Whether it is a player alone who avoids nobody: most are."""
        return len(self.tickets) == 1 and not self.met and not self.blocks

    @property
    def players(self) -> list[str]:
        """Their players."""
        return [ticket.player_id for ticket in self.tickets]


def unit_of(tickets: tuple[WaitingTicket, ...], blocks: Blocks) -> Unit:
    """Returns the unit of tickets that belong together."""
    if len(tickets) == 1:
        (one,) = tickets
        return Unit(tickets, one.rating, one.joined_at_ms, one.met, blocks.get(one.player_id, _NOBODY))
    own = {ticket.player_id for ticket in tickets}
    return Unit(
        tickets,
        sum(ticket.rating for ticket in tickets) / len(tickets),
        min(ticket.joined_at_ms for ticket in tickets),
        frozenset().union(*(ticket.met for ticket in tickets)) - own,
        frozenset().union(*(blocks.get(player_id, _NOBODY) for player_id in own)) - own,
    )


def group_units(units: Sequence[Unit], now_ms: int, rules: GroupRules) -> list[list[Unit]]:
    """Returns the tables to make now; units that are in none of them wait on.

    Args:
        units: all units of the pool that may play, oldest first.
        now_ms: the time, in milliseconds since the epoch.
        rules: what makes a table good enough.
    """
    line = _Line(units)
    tables: list[list[Unit]] = []
    for index, seed in enumerate(units):
        if line.is_taken(index):
            continue
        age_ms = now_ms - seed.joined_at_ms
        window, may_meet_again = rules.window(age_ms), age_ms >= rules.meet_again_after_ms
        below = line.neighbours(index, window, may_meet_again=may_meet_again, is_above=False)
        above = line.neighbours(index, window, may_meet_again=may_meet_again, is_above=True)
        if all(line.is_plain[one] for one in (index, *below, *above)):
            table = _best_run(units, below, index, above)
        else:
            table = _best_table(units, below, index, above, may_meet_again=may_meet_again)
        if table is None and age_ms >= rules.fill_after_ms:
            table = _short_table(units, below, index, above)
        if table is not None:
            line.take(table)
            tables.append([units[one] for one in table])
    return tables


class _Line:
    """The free units by rating, each linked to the next one below and above; a linked list in three arrays."""

    def __init__(self, units: Sequence[Unit]) -> None:
        self._units = units
        self._end = len(units)
        self.is_plain = [unit.is_plain for unit in units]
        order = sorted(range(self._end), key=lambda index: units[index].rating)  # Stable: oldest first.
        self._below = [self._end] * (self._end + 1)
        self._above = [self._end] * (self._end + 1)
        for lower, upper in pairwise(order):
            self._above[lower], self._below[upper] = upper, lower
        self._taken = bytearray(self._end)

    def is_taken(self, index: int) -> bool:
        """Whether a unit has a table."""
        return bool(self._taken[index])

    def take(self, indexes: Iterable[int]) -> None:
        """Takes units off the line."""
        for index in indexes:
            self._taken[index] = 1
            below, above = self._below[index], self._above[index]
            self._above[below], self._below[above] = above, below

    def neighbours(self, index: int, window: float, *, may_meet_again: bool, is_above: bool) -> list[int]:
        """Returns the nearest free units on one side that a unit may sit with, nearest first."""
        units, links = self._units, self._above if is_above else self._below
        seed, is_plain = units[index], self.is_plain
        room = SEATS - len(seed.tickets)
        found: list[int] = []
        other = links[index]
        for _ in range(_STEPS_MAX):
            if other == self._end or abs(units[other].rating - seed.rating) > window or len(found) == _NEIGHBOURS:
                break
            if (is_plain[index] and is_plain[other]) or (
                len(units[other].tickets) <= room and _may_meet(seed, units[other], may_meet_again=may_meet_again)
            ):
                found.append(other)
            other = links[other]
        return found


def _best_run(units: Sequence[Unit], below: Sequence[int], seed: int, above: Sequence[int]) -> list[int] | None:
    """Returns what `_best_table` does, where everybody is alone and avoids nobody: four neighbours on the line."""
    run = [*reversed(below[: SEATS - 1]), seed, *above[: SEATS - 1]]
    starts = range(len(run) - SEATS + 1)
    if not starts:
        return None
    best = min(starts, key=lambda start: units[run[start + SEATS - 1]].rating - units[run[start]].rating)
    return run[best : best + SEATS]


def _best_table(
    units: Sequence[Unit], below: Sequence[int], seed: int, above: Sequence[int], *, may_meet_again: bool
) -> list[int] | None:
    """Returns the full table with the smallest spread that the seed can have, None if it can have none."""
    best: list[int] | None = None
    best_spread = 0.0
    for reach in range(len(below) + 1):
        # As far down as the one that was reached, and from there up, over the seed, until the table is full.
        table = _filled(units, [seed, *reversed(below[:reach]), *above], may_meet_again=may_meet_again)
        if table is None or (reach and below[reach - 1] not in table):
            continue
        ratings = [units[one].rating for one in table]
        spread = max(ratings) - min(ratings)
        if best is None or spread < best_spread:
            best, best_spread = table, spread
    return best


def _filled(units: Sequence[Unit], candidates: Iterable[int], *, may_meet_again: bool) -> list[int] | None:
    table: list[int] = []
    people = 0
    for one in candidates:
        unit = units[one]
        if people + len(unit.tickets) > SEATS:
            continue
        if all(_may_meet(units[other], unit, may_meet_again=may_meet_again) for other in table):
            table.append(one)
            people += len(unit.tickets)
            if people == SEATS:
                return table
    return None


def _short_table(units: Sequence[Unit], below: Sequence[int], seed: int, above: Sequence[int]) -> list[int]:
    """Returns the seed and who is nearest to it, as many as there are; computers take the other seats."""
    nearest = sorted([*below, *above], key=lambda one: abs(units[one].rating - units[seed].rating))
    table, people = [seed], len(units[seed].tickets)
    for one in nearest:
        fits = people + len(units[one].tickets) <= SEATS
        if fits and all(_may_meet(units[other], units[one], may_meet_again=True) for other in table):
            table.append(one)
            people += len(units[one].tickets)
    return table


def _may_meet(one: Unit, other: Unit, *, may_meet_again: bool) -> bool:
    if one.blocks and not one.blocks.isdisjoint(other.players):
        return False
    if other.blocks and not other.blocks.isdisjoint(one.players):
        return False
    if may_meet_again:
        return True
    return (not one.met or one.met.isdisjoint(other.players)) and (not other.met or other.met.isdisjoint(one.players))
