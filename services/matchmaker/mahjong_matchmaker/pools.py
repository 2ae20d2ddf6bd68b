"""The pools of quick play: one for each rule set, rated and casual."""

from dataclasses import dataclass
from typing import Final

from mahjong_kit.fields import value_of, word_of
from mahjongplanet.game.v1.terms_pb2 import RuleSet, TableKind


@dataclass(frozen=True, slots=True)
class Pool:
    """Tickets that may meet at one table: full match, Standard clock."""

    rule_set: RuleSet.ValueType
    rated: bool

    @property
    def name(self) -> str:
        """Name in keys, labels and logs, such as `classical-rated`."""
        return f"{word_of(RuleSet, self.rule_set)}-{'rated' if self.rated else 'casual'}"

    @property
    def table_kind(self) -> TableKind.ValueType:
        """Kind of the tables that are made from it."""
        return TableKind.TABLE_KIND_RATED if self.rated else TableKind.TABLE_KIND_CASUAL


POOLS: Final = tuple(
    Pool(rule_set, rated)
    for rule_set in (RuleSet.RULE_SET_CLASSICAL, RuleSet.RULE_SET_TAIWANESE)
    for rated in (True, False)
)
"""Every pool there is."""


def pool_named(name: str) -> Pool:
    """Returns the pool of a name."""
    rule_set, _, kind = name.rpartition("-")
    return Pool(value_of(RuleSet, rule_set), kind == "rated")
