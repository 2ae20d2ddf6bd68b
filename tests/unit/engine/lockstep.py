"""The engine and the plain second game side by side."""

from mahjong_engine.action import (
    CallOriginal,
    Chow,
    Continue,
    DeclineOriginal,
    Discard,
    Kong,
    Pass,
    Pung,
    RobFlower,
    Win,
)
from mahjong_engine.hand import apply, open_decisions, start_hand
from mahjong_engine.rule_set import rule_set
from mahjong_engine.state import Deal
from mahjong_engine.tile import CODES, SORTED_SET
from tests.unit.engine import plain_classical, plain_taiwanese
from tests.unit.engine.plain_game import GAMES
from tests.unit.engine.walls import rare_wall

NAMES = {
    CallOriginal: "original_call",
    Continue: "continue",
    DeclineOriginal: "no_original_call",
    Pass: "pass",
    Pung: "pung",
    RobFlower: "rob_flower",
    Win: "win",
}


def plain(action):
    """Returns an engine's action as the plain game writes it."""
    if isinstance(action, Discard):
        return "discard", CODES[action.tile], action.original_call
    if isinstance(action, Kong):
        return "kong", action.kind.value, CODES[action.tile]
    if isinstance(action, Chow):
        return "chow", *(CODES[tile] for tile in action.tiles)
    return (NAMES[type(action)],)


SCORERS = {"classical": plain_classical, "taiwanese": plain_taiwanese}


class Lockstep:
    """One hand in both; every step compares who is asked what."""

    def __init__(self, name, wall, dealer, round_=0, wins=0):
        self.state, _ = start_hand(Deal(rule_set(name), wall, 40, 4 * round_ + dealer, wins, (2_000,) * 4))
        self.game = GAMES[name]([CODES[tile] for tile in wall], dealer)
        self.compare()

    @classmethod
    def random(cls, name, chance):
        wall = list(SORTED_SET)
        chance.shuffle(wall)
        return cls(name, tuple(wall), chance.randrange(4), chance.randrange(4), chance.choice((0, 1, 12)))

    @classmethod
    def rare(cls, name, chance):
        return cls(
            name, rare_wall(rule_set(name), chance), chance.randrange(4), chance.randrange(4), chance.choice((0, 12))
        )

    @property
    def is_over(self):
        return self.state.is_over

    def compare(self):
        asked = {d.seat: sorted(plain(action) for action in d.options) for d in open_decisions(self.state)}
        assert asked == {seat: sorted(actions) for seat, actions in self.game.asked.items()}

    def answer(self, seat, action):
        self.state, _ = apply(self.state, seat, action)
        self.game.answer(seat, plain(action))
        self.compare()

    def step(self, chance):
        """Answers one open decision, any of them; half of the time what is rare is preferred to what is not."""
        decision = chance.choice(open_decisions(self.state))
        rare = [a for a in decision.options if not isinstance(a, Discard | Pass | Chow | Win | RobFlower)]
        options = rare if rare and chance.random() < 0.5 else decision.options
        self.answer(decision.seat, chance.choice(options))

    def check_end(self):
        result, (how, winners) = self.state.result, self.game.end
        assert (result.ended.value, result.winners) == (how, tuple(sorted(winners)))
        assert list(result.changes) == self._changes(how)

    def _changes(self, how):
        """Returns the changes as the plain scorers know them; flower wins are simple enough (T60, T61)."""
        if how == "draw":
            return [0, 0, 0, 0]
        deal = self.state.deal
        case = self.game.case(CODES[deal.round_wind], deal.dealer_wins)
        if how == "win":
            return SCORERS[deal.rule_set.name].score(case)["changes"]
        win = case["win"]
        everybody = win["from_seat"] is None
        payers = [s for s in range(4) if s != win["seat"] and (everybody or s == win["from_seat"])]
        value = 30 if everybody else 20
        return [value * len(payers) if s == win["seat"] else -value * (s in payers) for s in range(4)]
