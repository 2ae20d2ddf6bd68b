"""The pools: one for each rule set and clock, rated and casual."""

from dataclasses import dataclass
from typing import Final

from mahjong_kit.fields import stated_values, value_of, word_of
from mahjongplanet.game.v1.terms_pb2 import Clock, RuleSet, TableKind


@dataclass(frozen=True, slots=True)
class Pool:
    """Tickets that may meet at one table: full match."""

    rule_set: RuleSet.ValueType
    rated: bool
    clock: Clock.ValueType = Clock.CLOCK_STANDARD

    @property
    def name(self) -> str:
        """Name in keys, labels and logs, such as `classical-rated` (Standard clock) or `classical-blitz-rated`."""
        words = [word_of(RuleSet, self.rule_set)]
        if self.clock != Clock.CLOCK_STANDARD:
            words.append(word_of(Clock, self.clock))
        return "-".join([*words, "rated" if self.rated else "casual"])

    @property
    def table_kind(self) -> TableKind.ValueType:
        """Kind of the tables that are made from it."""
        return TableKind.TABLE_KIND_RATED if self.rated else TableKind.TABLE_KIND_CASUAL


POOLS: Final = tuple(
    Pool(rule_set, rated, clock)
    for rule_set in stated_values(RuleSet)
    for clock in (Clock.CLOCK_STANDARD, Clock.CLOCK_BULLET, Clock.CLOCK_BLITZ, Clock.CLOCK_RELAXED)
    for rated in (True, False)
)
"""Every pool there is."""


def pool_named(name: str) -> Pool:
    """Returns the pool of a name."""
    rule_set, *clock, kind = name.split("-")
    return Pool(value_of(RuleSet, rule_set), kind == "rated", value_of(Clock, clock[0] if clock else "standard"))
