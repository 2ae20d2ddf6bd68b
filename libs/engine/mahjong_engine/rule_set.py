"""What a rule set is: everything in which one game differs from another, behind one protocol.

The shared machine (turn.py, claim.py) asks a rule set and never which one it is. A further rule set is one package that
calls `register` with its own object.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Final, Protocol

from mahjong_engine.action import Action
from mahjong_engine.keys import Keys
from mahjong_engine.meld import Meld, MeldKind
from mahjong_engine.settlement import ScoringCase, Settlement, WinClaim, WinSource
from mahjong_engine.tile import Seat, Tile

if TYPE_CHECKING:
    from mahjong_engine.outlook import Outlook
    from mahjong_engine.play import Play
    from mahjong_engine.state import Deal, HandState, Phase


@dataclass(frozen=True, slots=True)
class Rulings:
    """Points that custom leaves open, as a game has ruled on them; each value is a named constant of the game."""

    every_win_counts: bool
    """All that win on one tile win; else only the nearest after its owner (C25, T29, T33)."""
    win_after_claim: bool
    """A seat may win in a turn that began with a chow or pung (C20, T24)."""
    kong_after_claim: bool
    """A seat may declare a kong in such a turn (C20, T24)."""
    play_on_after_claimed_last_discard: bool
    """A last discard may be claimed for a meld, and play goes on (C42, T45)."""
    timeout_takes_win: bool
    """At a timeout the server takes a win that is available (C47, T50)."""
    timeout_discard_after_claim: int
    """Which of the sorted concealed tiles the server discards where there is no drawn tile (C47, T50)."""
    opening_decision_min_s: int
    """Shortest time of a decision before East's first turn (C45, T48)."""
    shown_after_win: tuple[Seat, ...]
    """Whose concealed tiles are shown after a win (C64, T66)."""
    shown_without_winner: tuple[Seat, ...]
    """Whose concealed tiles are shown after a hand without a winner (C64, T66)."""


class RuleSet(Protocol):
    """The rules of one game. Objects hold no state; methods that take a `Play` may move it on."""

    @property
    def name(self) -> str:
        """Name in records and on the wire."""

    @property
    def version(self) -> int:
        """A changed rule is a new version."""

    @property
    def sets(self) -> int:
        """Sets of a complete hand, melds included, beside the pair."""

    @property
    def start_score(self) -> int:
        """Points of every seat before the first hand."""

    @property
    def dealt(self) -> tuple[tuple[int, ...], ...]:
        """Wall places of the tiles dealt to East, South, West and North, in the order they are taken."""

    @property
    def live_wall(self) -> range:
        """Wall places of the live wall after the deal."""

    @property
    def outlook(self) -> "Outlook":
        """What computer players are told about value."""

    @property
    def rulings(self) -> Rulings:
        """What the game has ruled where custom leaves a choice."""

    def reserve_tiles_left(self, taken: int) -> int:
        """Returns the tiles left in the kong box or dead wall after that many were taken from it."""

    def reserve(self, taken: int) -> Sequence[int]:
        """Returns the wall places of the kong box or dead wall, next first, after that many tiles were taken."""

    def open_hand(self, play: "Play", held: list[list[Tile]]) -> None:
        """Plays the opening up to its first question or East's first turn.

        Args:
            play: the tiles are dealt, bonus tiles left out.
            held: the bonus tiles that each seat was dealt.
        """

    def answer_own(self, play: "Play") -> None:
        """Goes on after all seats asked in a phase of the rule set's own have answered."""

    def default_own(self, phase: "Phase") -> Action:
        """Returns the answer at a timeout in a phase of the rule set's own (C47, T50)."""

    def resume_opening(self, play: "Play") -> None:
        """Goes on with the opening after a kong of it and its replacement."""

    def after_bonus_shown(self, play: "Play", seat: Seat) -> bool:
        """Looks at a bonus tile just shown in play; returns whether a question or the end of the hand came of it."""

    def replace_bonus(self, play: "Play", seat: Seat) -> tuple[Tile, WinSource] | None:
        """Takes the replacement of a bonus tile; None if there is none left, which ends the hand."""

    def replace_kong(self, play: "Play", seat: Seat) -> tuple[Tile, WinSource]:
        """Takes the replacement of a kong."""

    def can_kong(self, hand: "HandState | Play") -> bool:
        """Whether the walls allow a kong now."""

    def may_rob(self, play: "Play", seat: Seat, kind: MeldKind, keys: Keys) -> bool:
        """Whether a seat, which has `keys` with the kong's tile, may rob the kong."""

    def may_call(self, hand: "HandState | Play", seat: Seat) -> bool:
        """Whether a seat may declare Original Call with its discard now, if it is ready after it."""

    def is_complete(self, keys: Keys, melds: tuple[Meld, ...]) -> bool:
        """Whether concealed tiles and melds win."""

    def is_ready(self, keys: Keys, melds: tuple[Meld, ...]) -> bool:
        """Whether concealed tiles and melds, one tile short, are ready for an Original Call."""

    @property
    def win_sources(self) -> frozenset[WinSource]:
        """The sources that a win can have."""

    def check_win(self, case: ScoringCase, win: WinClaim) -> None:
        """Refuses a win of a scoring case that only this rule set can judge; all shared checks have passed.

        Raises:
            CaseError: INCONSISTENT_SOURCE, NOT_ROBBABLE or NOT_A_WIN.
        """

    def settle(self, case: ScoringCase) -> Settlement:
        """Scores the end of a hand."""

    def next_dealership(self, deal: "Deal", winners: tuple[Seat, ...]) -> tuple[int, int]:
        """Returns `dealer_changes` and `dealer_wins` for the hand after one with these winners."""


_PACKAGES: Final = {name: f"mahjong_engine.{name}.rules" for name in ("classical", "taiwanese")}
_newest: Final[dict[str, RuleSet]] = {}
_registered: Final[dict[tuple[str, int], RuleSet]] = {}


class UnknownRuleSetError(LookupError):
    """No rule set has that name, or not in that version."""


def register(rules: RuleSet) -> None:
    """Makes a version of a rule set known by its name; a second call with the same version replaces the first.

    A package registers every version that was ever played by: records name the one that they were played by.
    """
    _registered[rules.name, rules.version] = rules
    known = _newest.get(rules.name)
    if known is None or known.version <= rules.version:
        _newest[rules.name] = rules


def rule_set(name: str, version: int | None = None) -> RuleSet:
    """Returns the rule set of a name, the newest version if none is named.

    Those of this package are imported when first asked for.

    Raises:
        UnknownRuleSetError: no rule set has that name, or not in that version.
    """
    if name not in _newest and name in _PACKAGES:
        import_module(_PACKAGES[name])
    try:
        return _newest[name] if version is None else _registered[name, version]
    except KeyError:
        known = "" if version is None or name not in _newest else f" in version {version}"
        raise UnknownRuleSetError(f"no rule set is called {name!r}{known}") from None


def rule_set_names() -> tuple[str, ...]:
    """Returns the names of all rule sets that are known, sorted."""
    return tuple(sorted(_PACKAGES.keys() | _newest))


def rule_set_versions(name: str) -> tuple[int, ...]:
    """Returns all versions of a rule set that records may name, oldest first.

    Raises:
        UnknownRuleSetError: no rule set has that name.
    """
    rule_set(name)
    return tuple(sorted(version for known, version in _registered if known == name))
