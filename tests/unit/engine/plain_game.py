"""Both games played a second time, plainly and slowly, straight from docs/rules: tests compare the engine with it.

Tiles are codes, hands are lists, a hand is one generator that yields questions and is sent answers. Actions are tuples:
("discard", tile, call), ("kong", kind, tile), ("pung",), ("chow", one, two), ("win",), ("pass",), ("continue",),
("original_call",), ("no_original_call",), ("rob_flower",). Nothing is imported from the engine.
"""

from itertools import product

ORDER = [f"{rank}{suit}" for suit in "bcd" for rank in range(1, 10)] + list("ESWNRGP")
FLOWERS = [f"{kind}{number}" for kind in "fs" for number in range(1, 5)]
FLOWER_WINS = ("eight_flowers", "seven_flowers_rob_eighth")
ORPHANS = {"1b", "9b", "1c", "9c", "1d", "9d", *"ESWNRGP"}


def sort(tiles):
    return sorted(tiles, key=[*ORDER, *FLOWERS].index)


def without(tiles, *gone):
    rest = list(tiles)
    for tile in gone:
        rest.remove(tile)
    return rest


def run_from(tile):
    """Returns the three tiles of the chow that begins with a tile, or None."""
    if len(tile) < 2 or tile[0] > "7":
        return None
    return tuple(f"{int(tile[0]) + step}{tile[1]}" for step in range(3))


def are_sets(tiles):
    """Whether sorted tiles split into chows and triplets."""
    if not tiles:
        return True
    first = tiles[0]
    if tiles.count(first) >= 3 and are_sets(without(tiles, first, first, first)):
        return True
    run = run_from(first)
    return bool(run) and all(t in tiles for t in run) and are_sets(without(tiles, *run))


def are_sets_and_a_pair(tiles):
    tiles = sort(tiles)
    return any(tiles.count(t) >= 2 and are_sets(without(tiles, t, t)) for t in dict.fromkeys(tiles))


class HandOverError(Exception):
    """The hand has ended: (how, winners)."""


class PlainGame:
    """One hand. `asked` maps the seats still asked to their answers; `end` is set when it is over."""

    size = 13

    def __init__(self, wall, dealer):
        self.wall = list(wall)
        self.dealer = dealer
        self.hands = [[] for _ in range(4)]
        self.melds = [[] for _ in range(4)]
        self.bonus = [[] for _ in range(4)]
        self.ponds = [[] for _ in range(4)]
        self.called = [False] * 4
        self.discards = [0] * 4
        self.end = None
        self.asked = {}
        self.given = {}
        self.decide = None
        self.drawn = None
        self.offered = None
        self.kongs = [0] * 4
        self.source = "dealt"
        self.took = None
        self.win = None
        self._deal()
        self.play = self._play()
        self._advance(None)

    # -- questions ------------------------------------------------------------------------------------------------

    def answer(self, seat, action):
        """Gives one answer; the question is settled as soon as every completion of it has the same outcome."""
        assert action in self.asked[seat], (seat, action, self.asked)
        self.given[seat] = action
        del self.asked[seat]
        open_seats = list(self.asked)
        outcomes = {
            self.decide({**self.given, **dict(zip(open_seats, rest, strict=True))})
            for rest in product(*(self.asked[s] for s in open_seats))
        }
        if len(outcomes) == 1:
            self.asked, self.given = {}, {}
            self._advance(outcomes.pop())

    def default(self, seat):
        """The server's answer at a timeout."""
        actions = self.asked[seat]
        for name in ("win", "rob_flower", "continue", "no_original_call", "pass"):
            if (name,) in actions:
                return (name,)
        return "discard", self.drawn or sort(self.hands[seat])[-1], False

    def settle(self, given):
        """Gives a whole block of answers; returns whether those that are missing could not have changed the outcome."""
        missing = [seat for seat in self.asked if seat not in given]
        if any(action[0] == "discard" for seat in missing for action in self.asked[seat]):
            return False  # a discard always stands in a record, a forced one included
        outcomes = {
            self.decide({**given, **dict(zip(missing, rest, strict=True))})
            for rest in product(*(self.asked[s] for s in missing))
        }
        if len(outcomes) == 1:
            self._advance(outcomes.pop())
            return True
        return False

    def _advance(self, outcome):
        try:
            self.asked, self.decide = self.play.send(outcome)
        except HandOverError as over:
            self.end = over.args[0]
            self.asked = {}

    def _ask_one(self, seat, actions):
        outcome = yield {seat: sorted(actions)}, lambda given: given[seat]
        return outcome

    # -- walls ----------------------------------------------------------------------------------------------------

    def _seats_from(self, seat):
        return [(seat + step) % 4 for step in range(4)]

    def _deal(self):
        order = self._seats_from(self.dealer)
        for size in self.rounds:
            for seat in order:
                for _ in range(size):
                    self.hands[seat].append(self.wall.pop(0))
        self.last = self.wall.pop(0)
        self.hands[self.dealer].append(self.last)
        self.live, self.reserve = self.wall[:-16], self.wall[-16:]

    # -- tiles ----------------------------------------------------------------------------------------------------

    def fours(self, seat):
        return {t for t in self.hands[seat] if self.hands[seat].count(t) == 4 and t not in FLOWERS}

    def waits(self, hand, melds):
        return [t for t in ORDER if hand.count(t) < 4 and self.complete([*hand, t], melds)]

    def ready(self, hand, melds):
        own = list(hand) + [t for meld in melds for t in meld[1]]
        return any(own.count(t) < 4 for t in self.waits(hand, melds))

    # -- a turn ---------------------------------------------------------------------------------------------------

    def _turns(self, seat, drawn):
        """Plays from a turn that has its drawn tile; `drawn` is None after a chow or pung."""
        while True:
            self.drawn = drawn
            action = yield from self._ask_one(seat, self._turn_actions(seat, drawn))
            if action[0] == "win":
                self._won((seat,), drawn, self.source, None)
            if action[0] == "kong":
                yield from self._declare(seat, action, opening=False)
                drawn = yield from self._take_for_kong(seat)
                self.source = self.took
            else:
                seat, drawn = yield from self._discard(seat, action)

    def _turn_actions(self, seat, drawn):
        hand, melds = self.hands[seat], self.melds[seat]
        actions = set()
        if drawn and self.complete(hand, melds):
            actions.add(("win",))
        if self.called[seat] and drawn:
            return actions | {("discard", drawn, False)}
        if drawn and self.kong_allowed():
            actions |= {("kong", "concealed_kong", t) for t in self.fours(seat)}
            actions |= {("kong", "promoted_kong", m[1][0]) for m in melds if m[0] == "pung" and m[1][0] in hand}
        for tile in set(hand):
            actions.add(("discard", tile, False))
            if self.call_allowed(seat) and self.ready(without(hand, tile), melds):
                actions.add(("discard", tile, True))
        return actions

    def _declare(self, seat, action, *, opening):
        _, kind, tile = action
        if kind == "concealed_kong":
            self.hands[seat] = without(self.hands[seat], *[tile] * 4)
            self.melds[seat].append((kind, [tile] * 4))
        else:
            self.hands[seat] = without(self.hands[seat], tile)
            where = self.melds[seat].index(("pung", [tile] * 3))
            self.melds[seat][where] = (kind, [tile] * 4)
        self.kongs[seat] += 1
        robbers = [s for s in self._seats_from(seat)[1:] if self.may_rob(s, kind, tile, opening=opening)]
        if robbers:
            winners = yield {s: [("pass",), ("win",)] for s in robbers}, lambda given: self.winners(seat, given)
            if winners:
                if kind == "concealed_kong":
                    self.melds[seat].remove((kind, [tile] * 4))
                    self.hands[seat] += [tile] * 3
                else:
                    self.melds[seat][where] = ("pung", [tile] * 3)
                self._won(winners, tile, f"robbed_{kind}", seat)

    def _won(self, winners, tile, source, from_seat):
        self.win = winners, tile, source, from_seat
        raise HandOverError(("flowers" if source in FLOWER_WINS else "win", winners))

    def case(self, round_wind, dealer_wins):
        """Returns the scoring case of a hand that was won."""
        winners, tile, source, from_seat = self.win
        seats = []
        for seat in range(4):
            hand = self.hands[seat]
            if seat in winners and from_seat is None and tile:
                hand = without(hand, tile)
            melds = [{"kind": kind, "tiles": tiles} for kind, tiles in self.melds[seat]]
            shown = {"bonus": self.bonus[seat], "original_call": self.called[seat]}
            seats.append({"concealed": sort(hand), "melds": melds, **shown})
        wins = [{"seat": s, "tile": tile, "source": source, "from_seat": from_seat} for s in winners]
        case = {
            "rule_set": self.name,
            "dealer": self.dealer,
            "round_wind": round_wind,
            "seats": seats,
            "live_tiles_left": len(self.live),
            "discards": [t for pond in self.ponds for t in pond],
            "discard_count": sum(self.discards),
            "kongs_in_turn": self.kongs[winners[0]],
            "dealer_wins_before": dealer_wins,
        }
        return {**case, "wins": wins} if len(wins) > 1 else {**case, "win": wins[0]}

    def winners(self, owner, given):
        found = tuple(s for s in self._seats_from(owner)[1:] if given.get(s) == ("win",))
        return tuple(sorted(found)) if self.all_win else found[:1]

    def _discard(self, seat, action):
        _, tile, call = action
        self.hands[seat] = without(self.hands[seat], tile)
        self.ponds[seat].append(tile)
        self.discards[seat] += 1
        self.kongs = [0] * 4
        self.called[seat] |= call
        self.offered = tile
        questions = {}
        for other in self._seats_from(seat)[1:]:
            claims = self._claims(other, tile, is_next=other == (seat + 1) % 4)
            if claims:
                questions[other] = sorted(claims | {("pass",)})
        outcome = None
        if questions:
            outcome = yield questions, lambda given: self._outcome(seat, given)
        if outcome is None:
            return (yield from self._draw((seat + 1) % 4))
        who, claim = outcome
        if claim == "win":
            self._won(who, tile, "discard", seat)
        self.ponds[seat].pop()
        return (yield from self._meld(who, claim, tile))

    def _claims(self, seat, tile, *, is_next):
        hand = self.hands[seat]
        claims = set()
        if self.complete([*hand, tile], self.melds[seat]):
            claims.add(("win",))
        if self.called[seat]:
            return claims
        if hand.count(tile) >= 2:
            claims.add(("pung",))
        if hand.count(tile) == 3 and self.kong_allowed():
            claims.add(("kong", "claimed_kong", tile))
        if is_next:
            for first in ORDER[:27]:
                run = run_from(first)
                if run and tile in run and all(t in hand for t in run if t != tile):
                    claims.add(("chow", *[t for t in run if t != tile]))
        return claims

    def _outcome(self, seat, given):
        winners = self.winners(seat, given)
        if winners:
            return winners, "win"
        for kinds in (("pung", "kong"), ("chow",)):
            for other in self._seats_from(seat)[1:]:
                if given.get(other, ("",))[0] in kinds:
                    return other, given[other]
        return None

    def _meld(self, seat, claim, tile):
        if claim[0] == "chow":
            own, kind = list(claim[1:]), "chow"
        elif claim[0] == "pung":
            own, kind = [tile] * 2, "pung"
        else:
            own, kind = [tile] * 3, "claimed_kong"
        self.hands[seat] = without(self.hands[seat], *own)
        self.melds[seat].append((kind, sort([*own, tile])))
        drawn = None
        if kind == "claimed_kong":
            self.kongs[seat] += 1
            drawn = yield from self._take_for_kong(seat)
            self.source = self.took
        return seat, drawn

    def _draw(self, seat):
        if not self.live:
            raise HandOverError(("draw", ()))
        drawn = yield from self._keep(seat, self.live.pop(0), "live_wall")
        self.source = self.took
        return seat, drawn


class PlainClassical(PlainGame):
    name = "classical"
    rounds = (4, 4, 4, 1)
    all_win = False

    def complete(self, hand, melds):
        if not melds and len(hand) == 14 and set(hand) == ORPHANS:
            return True
        return len(hand) + 3 * len(melds) == 14 and are_sets_and_a_pair(hand)

    def kong_allowed(self):
        return True

    def call_allowed(self, seat):
        return self.discards[seat] == 0

    def may_rob(self, seat, kind, tile, *, opening):
        if kind == "concealed_kong":
            return (
                not (opening and seat == self.dealer)
                and sorted({*self.hands[seat], tile}) == sorted(ORPHANS)
                and (len(self.hands[seat]) == 13)
            )
        return self.complete([*self.hands[seat], tile], self.melds[seat])

    def _play(self):
        for seat in self._seats_from(self.dealer):
            while held := [t for t in sort(self.hands[seat]) if t in FLOWERS]:
                self.hands[seat].remove(held[0])
                self.bonus[seat].append(held[0])
                self._take(seat, self.live.pop(0))
        for seat in self._seats_from(self.dealer):
            while fours := self.fours(seat):
                kongs = {("kong", "concealed_kong", t) for t in fours}
                action = yield from self._ask_one(seat, kongs | {("continue",)})
                if action == ("continue",):
                    break
                yield from self._declare(seat, action, opening=True)
                drawn = yield from self._take_for_kong(seat)
                if seat == self.dealer:
                    self.last, self.source = drawn, self.took
        yield from self._turns(self.dealer, self.last)

    def _take(self, seat, tile):
        self.hands[seat].append(tile)
        if seat == self.dealer:
            self.last = tile

    def _take_for_kong(self, seat):
        return (yield from self._keep(seat, self.reserve.pop(0), "kong_replacement"))

    def _keep(self, seat, tile, source):
        while tile in FLOWERS:
            self.bonus[seat].append(tile)
            if not self.live:
                raise HandOverError(("draw", ()))
            tile, source = self.live.pop(0), "live_wall"
        self.hands[seat].append(tile)
        self.took = source
        return tile
        yield


class PlainTaiwanese(PlainGame):
    name = "taiwanese"
    rounds = (4, 4, 4, 4)
    all_win = True

    def complete(self, hand, melds):
        if len(hand) + 3 * len(melds) != 17:
            return False
        counts = sorted(hand.count(t) for t in set(hand))
        if not melds and counts.count(3) == 1 and set(counts) <= {2, 3, 4}:
            return True
        return are_sets_and_a_pair(hand)

    def kong_allowed(self):
        return bool(self.live)

    def call_allowed(self, seat):
        return seat == self.dealer and self.discards[seat] == 0 and not self.melds[seat]

    def may_rob(self, seat, kind, tile, *, opening):
        return kind == "promoted_kong" and self.complete([*self.hands[seat], tile], self.melds[seat])

    def _play(self):
        while any(t in FLOWERS for hand in self.hands for t in hand):
            for seat in self._seats_from(self.dealer):
                for flower in [t for t in sort(self.hands[seat]) if t in FLOWERS]:
                    self.hands[seat].remove(flower)
                    yield from self._show(seat, flower)
                    self.hands[seat].append(self._replacement())
                    if seat == self.dealer:
                        self.last = self.hands[seat][-1]
        ready = [s for s in self._seats_from(self.dealer)[1:] if self.ready(self.hands[s], [])]
        if ready:
            answers = yield (
                {s: [("no_original_call",), ("original_call",)] for s in ready},
                lambda given: tuple(sorted(given.items())),
            )
            for seat, action in answers:
                self.called[seat] = action == ("original_call",)
        yield from self._turns(self.dealer, self.last)

    def _show(self, seat, flower):
        self.bonus[seat].append(flower)
        if sum(map(len, self.bonus)) < 8:
            return
        counts = [len(shown) for shown in self.bonus]
        if 8 in counts:
            self._won((seat,), None, "eight_flowers", None)
        if 7 in counts:
            robber = counts.index(7)
            action = yield from self._ask_one(robber, {("rob_flower",), ("pass",)})
            if action == ("rob_flower",):
                self._won((robber,), None, "seven_flowers_rob_eighth", counts.index(1))

    def _replacement(self):
        if not self.live:
            raise HandOverError(("draw", ()))
        tile = self.reserve.pop(0)
        self.reserve.append(self.live.pop())
        return tile

    def _take_for_kong(self, seat):
        return (yield from self._keep(seat, self._replacement(), "kong_replacement"))

    def _keep(self, seat, tile, source):
        while tile in FLOWERS:
            yield from self._show(seat, tile)
            tile, source = self._replacement(), "flower_replacement"
        self.hands[seat].append(tile)
        self.took = source
        return tile


GAMES = {"classical": PlainClassical, "taiwanese": PlainTaiwanese}
