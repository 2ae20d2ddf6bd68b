"""The level `strong`: plays for what a win is worth, goal by goal, as well as for speed, and heeds danger on the way.

A hand's promise is the sum over goals of how likely the goal comes about from here times what it adds to the worth of
any win. What wins are worth is the rule set's to say (`outlook`).
"""

from collections.abc import Iterator
from math import exp
from typing import Final

from mahjong_engine.action import (
    CALL_ORIGINAL,
    CONTINUE,
    DECLINE_ORIGINAL,
    DISCARD,
    DISCARD_AND_CALL,
    PASS,
    Action,
    CallOriginal,
    Chow,
    Kong,
    Pung,
)
from mahjong_engine.bots.basic import CENTRALITY, take_out
from mahjong_engine.bots.danger import dangers
from mahjong_engine.bots.sight import copies, open_question, unseen_copies, win_among
from mahjong_engine.keys import SUIT, Keys, count_of, kinds_of, remove
from mahjong_engine.meld import Meld, MeldKind
from mahjong_engine.outlook import Goal, Holding
from mahjong_engine.rule_set import rule_set
from mahjong_engine.shape import shanten, useful_tiles
from mahjong_engine.state import Phase
from mahjong_engine.tile import KIND_COUNT, Tile
from mahjong_engine.view import HandView

DETOUR_STEPS_MAX: Final = 3
"""How much farther than any hand a goal may be and still count."""
TYPICAL_COPIES: Final = (7, 17, 28, 40, 50, 58, 64, 70, 76, 80)
"""Copies of useful tiles that a hand commonly has, by its distance from ready."""
CLAIM_FACTOR: Final = 1.7
"""Chances a round to get a useful tile, own draw and claims, in own draws."""
WIN_FACTOR: Final = 3.4
"""Chances a round to get a winning tile, own draw and all discards, in own draws."""
HAZARD: Final = 1.0
"""How fast a hand runs out of time, a round: faster than others win, for being near keeps ways open."""
TIDINESS: Final = 0.02
"""Part of a hand's promise that a discard costs for each step that its tile is nearer to the middle."""
DISCARDS_TO_COME: Final = 2.5
"""Discards as risky as the present one that playing on is about to cost."""
CALL_COPIES_MIN: Final = 2
"""Unseen winning tiles that make an Original Call worth its locked hand."""


def decide(view: HandView) -> Action:
    """Returns the answer to the view's open decision."""
    decision = open_question(view)
    options = decision.options
    if win := win_among(options):
        return win
    if len(options) == 1:
        return options[0]
    mind = _Mind(view)
    if decision.phase in (Phase.TURN, Phase.TURN_AFTER_CLAIM):
        return mind.best_turn(options)
    if decision.phase is Phase.CLAIM:
        return mind.best_claim(options)
    if decision.phase is Phase.KONG_ROUND:
        return mind.best_kong(options, mind.best_discard(view.keys, mind.melds)[1]) or CONTINUE
    if isinstance(options[0], CallOriginal):
        return CALL_ORIGINAL if mind.may_lock(view.keys) else DECLINE_ORIGINAL
    return PASS


class _Mind:
    """One decision: what is seen, and what each way to go on promises."""

    def __init__(self, view: HandView) -> None:
        rules = rule_set(view.rule_set)
        self.melds = view.melds[view.seat]
        self._view = view
        self._sets = rules.sets
        self._outlook = rules.outlook
        self._unseen = unseen_copies(view)
        self._hidden = max(1, sum(self._unseen))
        self._hazard = HAZARD + 4 / (view.live_tiles_left + 4)

    def best_turn(self, options: tuple[Action, ...]) -> Action:
        """Returns the best of the discards and kongs of a turn."""
        tile, promise = self.best_discard(self._view.keys, self.melds)
        if kong := self.best_kong(options, promise):
            return kong
        tile = self._safer(tile)
        call = DISCARD_AND_CALL[tile]
        return call if call in options and self.may_lock(remove(self._view.keys, tile)) else DISCARD[tile]

    def best_discard(self, keys: Keys, melds: tuple[Meld, ...]) -> tuple[Tile, float]:
        """Returns the discard that leaves the hand that promises most for its danger, with that promise."""
        promises = {
            tile: self._promise(remove(keys, tile), melds) * (1 - TIDINESS * CENTRALITY[tile])
            for tile in kinds_of(keys)
        }
        tile = max(promises, key=promises.__getitem__)
        return tile, promises[tile]

    def _safer(self, tile: Tile) -> Tile:
        """Returns the discard, or the safest one if the hand is not worth the risk of it."""
        keys = self._view.keys
        risk = dangers(self._view, self._unseen)
        holding = self._holding(remove(keys, tile), self.melds)
        distance = shanten(holding.keys, self._sets - len(self.melds))
        hope = _win_chance(distance, sum(self._view.discard_counts) / 4) * self._outlook.worth(holding, Goal.ANY)
        if hope >= risk[tile] * self._outlook.deal_in_cost * DISCARDS_TO_COME:
            return tile
        return min(kinds_of(keys), key=lambda other: (risk[other], CENTRALITY[other]))

    def best_kong(self, options: tuple[Action, ...], promise: float) -> Kong | None:
        """Returns the kong of the own turn that promises most, if that is no less than `promise`."""
        best = None
        for option in options:
            if isinstance(option, Kong):
                after = self._promise(*self._after_kong(option))
                if after >= promise:
                    best, promise = option, after
        return best

    def _after_kong(self, kong: Kong) -> tuple[Keys, tuple[Meld, ...]]:
        keys = self._view.keys
        if kong.kind is not MeldKind.PROMOTED_KONG:
            return take_out(keys, (kong.tile,) * 4), (*self.melds, Meld(kong.kind, kong.tile))
        others = tuple(meld for meld in self.melds if meld.tile != kong.tile or meld.kind is not MeldKind.PUNG)
        return remove(keys, kong.tile), (*others, Meld(kong.kind, kong.tile, kong.tile))

    def best_claim(self, options: tuple[Action, ...]) -> Action:
        """Returns the claim after which the hand promises more than now, or pass."""
        offered, keys = self._view.offered, self._view.keys
        assert offered is not None
        best, choice = self._promise(keys, self.melds), PASS
        for option in options:
            if isinstance(option, Kong):
                rest = take_out(keys, (offered,) * 3)
                promise = self._promise(rest, (*self.melds, Meld(option.kind, offered, offered)))
            elif isinstance(option, Pung):
                rest = take_out(keys, (offered,) * 2)
                promise = self.best_discard(rest, (*self.melds, Meld(MeldKind.PUNG, offered, offered)))[1]
            elif isinstance(option, Chow):
                meld = Meld(MeldKind.CHOW, min(offered, *option.tiles), offered)
                promise = self.best_discard(take_out(keys, option.tiles), (*self.melds, meld))[1]
            else:
                continue
            if promise > best:
                best, choice = promise, option  # type: ignore[assignment]
        return choice

    def may_lock(self, keys: Keys) -> bool:
        """Whether the tiles are ready with enough winning tiles left for an Original Call."""
        sets = self._sets - len(self.melds)
        return shanten(keys, sets) == 0 and copies(useful_tiles(keys, sets), self._unseen) >= CALL_COPIES_MIN

    def _promise(self, keys: Keys, melds: tuple[Meld, ...]) -> float:
        """Returns what the tiles promise, a turn over."""
        holding = self._holding(keys, melds)
        sets = self._sets - len(melds)
        distance = shanten(keys, sets)
        plain = self._outlook.worth(holding, Goal.ANY)
        promise = self._chance(distance, useful_tiles(keys, sets)) * plain
        for goal, goal_distance, useful in _detours(keys, melds, sets, distance + DETOUR_STEPS_MAX):
            more = self._outlook.worth(holding, goal) - plain
            promise += self._chance(goal_distance, useful) * max(0.0, more)
        for chance_tiles, goal_distance, worth in self._outlook.specials(holding):
            promise += self._chance(goal_distance, chance_tiles) * max(0.0, worth - plain)
        return promise

    def _holding(self, keys: Keys, melds: tuple[Meld, ...]) -> Holding:
        view = self._view
        return Holding(
            keys, melds, view.bonus[view.seat], view.seat, view.dealer, view.round_wind, view.original_calls[view.seat]
        )

    def _chance(self, distance: int, useful: tuple[Tile, ...]) -> float:
        """Returns about how likely a goal comes about that is this far from ready, given the tiles useful for it.

        Each step is a race between the tile that takes it and the end of the hand, both at a constant rate a round.
        """
        chance, left = 1.0, copies(useful, self._unseen)
        for step in range(distance, -1, -1):
            rate = left * (WIN_FACTOR if step == 0 else CLAIM_FACTOR) / self._hidden
            chance *= rate / (rate + self._hazard)
            left = min(TYPICAL_COPIES[min(step - 1, 9)], self._hidden)
        return chance


def _win_chance(distance: int, rounds: float) -> float:
    """Returns how often a hand wins that is this far from ready after so many rounds; fitted to hands of `basic`."""
    return 0.72 * exp(-rounds / 11) * max(0.3, 0.7 - 0.02 * rounds) ** distance


def _detours(
    keys: Keys, melds: tuple[Meld, ...], sets: int, distance_max: int
) -> Iterator[tuple[Goal, int, tuple[Tile, ...]]]:
    """Yields the goals within reach: the goal, its distance, the tiles useful for it."""
    meld_suits = {SUIT[meld.tile] for meld in melds}
    for suit in range(3):
        for goal, suits in ((Goal.HALF_FLUSH, (suit, 3)), (Goal.FULL_FLUSH, (suit,))):
            if meld_suits <= set(suits):
                a, b, c, d = (key if index in suits else 0 for index, key in enumerate(keys))
                if (distance := shanten((a, b, c, d), sets)) <= distance_max:
                    useful = useful_tiles((a, b, c, d), sets)
                    yield goal, distance, tuple(tile for tile in useful if SUIT[tile] in suits)
    if all(meld.kind is not MeldKind.CHOW for meld in melds):
        distance, useful = _pungs(keys, sets)
        if distance <= distance_max:
            yield Goal.PUNGS, distance, useful


def _pungs(keys: Keys, sets: int) -> tuple[int, tuple[Tile, ...]]:
    """Returns how far triplets and a pair are (0 ready), and the kinds that bring them nearer."""
    counts = [count_of(keys, Tile(tile)) for tile in range(KIND_COUNT)]
    triplets = min(sets, sum(count >= 3 for count in counts))
    pairs = counts.count(2)
    wished = (2,) if pairs >= sets + 1 - triplets else (1, 2)
    useful = tuple(Tile(tile) for tile, count in enumerate(counts) if count in wished)
    return 2 * (sets - triplets) - min(pairs, sets + 1 - triplets), useful
