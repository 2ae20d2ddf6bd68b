"""A small kit for tests of play: walls stacked from wished hands, and actions as text.

Actions read `discard 5b`, `discard 5b call`, `kong concealed_kong 5b`, `claim_kong`, `pung`, `chow 3b 4b`, `win`,
`pass`, `continue`, `original_call`, `no_original_call`, `rob_flower`.
"""

from collections import Counter

from mahjong_engine.action import (
    CALL_ORIGINAL,
    CLAIMED_KONG,
    CONTINUE,
    DECLINE_ORIGINAL,
    PASS,
    PUNG,
    ROB_FLOWER,
    WIN,
    Chow,
    Discard,
    Kong,
)
from mahjong_engine.event import HandDealt
from mahjong_engine.hand import apply, default_action, legal_actions, open_decisions, start_hand
from mahjong_engine.invariant import broken_invariants
from mahjong_engine.meld import MeldKind
from mahjong_engine.rule_set import rule_set
from mahjong_engine.state import Deal, Phase
from mahjong_engine.tile import CODES, SORTED_SET, TILES, Seat
from mahjong_engine.view import view, view_event

PLAIN = {
    "continue": CONTINUE,
    "original_call": CALL_ORIGINAL,
    "no_original_call": DECLINE_ORIGINAL,
    "pung": PUNG,
    "win": WIN,
    "pass": PASS,
    "rob_flower": ROB_FLOWER,
}
NAMES = {action: name for name, action in PLAIN.items()}


def tiles(text):
    """Returns the tiles of codes separated by blanks; `3*5b` is three of them."""
    found = []
    for word in text.split():
        count, _, code = word.rpartition("*")
        found += [TILES[code]] * int(count or 1)
    return found


def codes(some):
    return " ".join(CODES[tile] for tile in some)


def stack(rules, hands=(), live="", last_live="", reserve="", at=None):
    """Returns a wall with wished tiles; what is left fills the other places.

    Wished are hands by wind (`hands[0]` is East's, in the order of the deal), the front and the end of the live wall,
    the front of the reserve, and single places (`at={53: "5b"}`). Bonus tiles nobody wished lie where they are reached
    last, and no hand gets a third of a kind that it did not wish.
    """
    wall = [None] * 144
    for places, text in zip(rules.dealt, hands, strict=False):
        wished = tiles(text)
        assert len(wished) <= len(places), text
        for place, tile in zip(places, wished, strict=False):
            wall[place] = tile
    first, end = rules.live_wall.start, rules.live_wall.stop
    wall[first : first + len(tiles(live))] = tiles(live)
    last = tiles(last_live)
    wall[end - len(last) : end] = last
    for place, tile in zip(rules.reserve(0), tiles(reserve), strict=False):
        wall[place] = tile
    for place, tile in (at or {}).items():
        wall[place] = TILES[tile]
    rest = Counter(SORTED_SET)
    rest.subtract(tile for tile in wall if tile is not None)
    assert min(rest.values()) >= 0, "more copies wished than there are"
    _fill_hands(rules, wall, rest)
    left = sorted(rest.elements(), key=lambda tile: (tile >= 34, tile * 7 % 34))
    reserve_free = [p for p in rules.reserve(0) if wall[p] is None]
    live_free = [p for p in rules.live_wall if wall[p] is None]
    for place, tile in zip(live_free + reserve_free, left, strict=True):
        wall[place] = tile
    return tuple(wall)


def _fill_hands(rules, wall, rest):
    kinds = sorted(range(34), key=lambda tile: tile * 11 % 34)
    for places in rules.dealt:
        held = Counter(wall[p] for p in places)
        for place in places:
            if wall[place] is None:
                tile = max(kinds, key=lambda t: (rest[t] > 0 and held[t] < 2, -held[t], rest[t]))
                wall[place] = tile
                held[tile] += 1
                rest[tile] -= 1


class Table:
    """One hand on the table; `events` are those of the last action, `history` all."""

    def __init__(self, name, *hands, dealer=0, wins=0, scores=None, wall=None, round_=0, hand=0, **wishes):
        rules = rule_set(name)
        wall = wall or stack(rules, hands, **wishes)
        start = rules.start_score
        self.deal = Deal(rules, wall, hand, 4 * round_ + dealer, wins, tuple(scores or (start,) * 4))
        self._begin(*start_hand(self.deal))

    @classmethod
    def of(cls, state, events):
        """Returns a table with a hand just dealt."""
        table = cls.__new__(cls)
        table.deal = state.deal
        table._begin(state, events)
        return table

    def _begin(self, state, events):
        self.state, self.events = state, events
        self.history = list(events)
        self._check()

    def _check(self):
        assert broken_invariants(self.state) == ()

    def do(self, seat, text, *, timeout=False):
        """Answers for a seat."""
        self.state, self.events = apply(self.state, Seat(seat), self.action(text), timeout=timeout)
        self.history += self.events
        self._check()
        return self

    def action(self, text):
        name, *rest = text.split()
        if name == "discard":
            return Discard(TILES[rest[0]], original_call=rest[1:] == ["call"])
        if name == "kong":
            return Kong(MeldKind(rest[0]), TILES[rest[1]])
        if name == "claim_kong":
            return CLAIMED_KONG[self.state.offered]
        if name == "chow":
            return Chow((TILES[rest[0]], TILES[rest[1]]))
        return PLAIN[name]

    def passes(self, *seats):
        """Passes for these seats, or for all that are asked about a discard or kong."""
        for seat in seats or [d.seat for d in open_decisions(self.state)]:
            if PASS in legal_actions(self.state, seat):
                self.do(seat, "pass")
        return self

    def discard(self, seat, code, *, call=False):
        """Discards, and everybody passes."""
        self.do(seat, f"discard {code}" + " call" * call)
        return self.passes() if self.state.phase is Phase.CLAIM else self

    def turn(self):
        """Discards the drawn tile of the seat in turn, and everybody passes."""
        return self.discard(self.state.actor, CODES[self.state.drawn])

    def turns(self, count):
        for _ in range(count):
            self.turn()
        return self

    def options(self, seat):
        """Returns the legal answers of a seat as a set of texts."""
        return {text(action) for action in legal_actions(self.state, seat)}

    def default(self, seat):
        return text(default_action(self.state, seat))

    @property
    def asked(self):
        """The seats that are asked, with phase and clock."""
        return [(d.seat, d.phase.value, d.clock.value) for d in open_decisions(self.state)]

    @property
    def asked_seats(self):
        return [d.seat for d in open_decisions(self.state)]

    def hand(self, seat):
        return codes(view(self.state, seat).concealed)

    def view(self, seat):
        return view(self.state, seat)

    def melds(self, seat):
        return [f"{meld.kind.value} {codes(meld.tiles)}" for meld in self.state.melds[seat]]

    def pond(self, seat):
        return codes(self.state.ponds[seat])

    def bonus(self, seat):
        return codes(self.state.bonus[seat])

    @property
    def drawn(self):
        return None if self.state.drawn is None else CODES[self.state.drawn]

    @property
    def source(self):
        return self.state.source and self.state.source.value

    @property
    def left(self):
        return self.state.live_tiles_left

    @property
    def result(self):
        return self.state.result

    @property
    def won_by(self):
        """The wins as (seat, tile, source, from_seat)."""
        return [(w.seat, w.tile and CODES[w.tile], w.source.value, w.from_seat) for w in self.result.wins]

    def awards(self, seat):
        """The awards and limit reasons of a seat's hand."""
        (hand,) = (h for h in self.result.settlement.hands if h.seat == seat)
        return {item.award for item in hand.items} | set(hand.limit)

    def names(self, seat=None):
        """Names of the last events."""
        return [type(event).__name__ for event in self.events]

    def seen_by(self, seat):
        """All events so far as a seat saw them."""
        return [view_event(event, seat) for event in self.history]

    @property
    def dealt(self):
        (event,) = (e for e in self.history if isinstance(e, HandDealt))
        return event


def text(action):
    if isinstance(action, Discard):
        return f"discard {CODES[action.tile]}" + " call" * action.original_call
    if isinstance(action, Kong):
        if action.kind is MeldKind.CLAIMED_KONG:
            return "claim_kong"
        return f"kong {action.kind.value} {CODES[action.tile]}"
    if isinstance(action, Chow):
        return f"chow {codes(action.tiles)}"
    return NAMES[action]
