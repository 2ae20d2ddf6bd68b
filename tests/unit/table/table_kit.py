"""A table of the sans-IO core in virtual time, with walls stacked from wished hands."""

import uuid

import orjson

from mahjong_engine.match import MatchLength
from mahjong_engine.rule_set import rule_set
from mahjong_engine.state import Phase
from mahjong_engine.tile import CODES, Seat
from mahjong_table.core import evolve
from mahjong_table.core.clock import Clock
from mahjong_table.core.decide import Answer, ConfirmResult, GiveNonce, Instant, Leave, Received
from mahjong_table.core.draft import draft
from mahjong_table.core.due import next_due
from mahjong_table.core.entry import KINDS, Entry, happening, payload
from mahjong_table.core.notice import DecisionClosed, DecisionOpened
from mahjong_table.core.state import Opening, Receipt, Stage
from mahjong_table.core.terms import Level, Occupant, TableKind, Terms
from tests.unit.engine.hand_kit import Table as Hand
from tests.unit.engine.hand_kit import stack

OPENED_AT = 1_000_000
SEED = bytes(range(80))
MATCH_ID = "6f1e3a52-58cb-4e9c-9d0f-3a1a8c1b2c3d"


def terms(
    rules="classical", *, clock=Clock.STANDARD, length=MatchLength.FULL, kind=TableKind.CASUAL, people=(0, 1, 2, 3)
):
    occupants = tuple(
        Occupant(f"Player {seat}", player_id=f"player-{seat}")
        if seat in people
        else Occupant(f"Computer {seat}", level=Level.BASIC)
        for seat in range(4)
    )
    return Terms(MATCH_ID, rules, clock, length, kind, occupants)


class CoreTable:
    """One table. Time stands still until it is moved; all that falls due on the way happens at its time."""

    def __init__(self, opening, *, floor_ms=0, credit_max_ms=0, present=(0, 1, 2, 3)):
        self.opening = opening
        self.now = opening.opened_at
        self.floor_ms = floor_ms
        self.credit_max_ms = credit_max_ms
        self.present = set(present)
        self.log = []
        self.state, notices = evolve.open_table(opening)
        self.notices = list(notices)

    # What happens

    def run(self, *commands, first=None, received_at=None, credit_ms=0):
        """Runs commands now, as if they had come in now or earlier; returns their outcomes."""
        instant = Instant(self.now, self.floor_ms, self.credit_max_ms)
        at = self.now if received_at is None else received_at
        received = [Received(command, at, credit_ms) for command in commands]
        result = draft(self.state, received, instant, self.present & set(self.state.terms.people), first)
        self.state = result.state
        self.log += result.entries
        self.notices += result.notices
        return result.outcomes

    def wait(self, ms):
        """Lets time pass, with all that falls due in it."""
        self.wait_until(self.now + ms)

    def wait_until(self, at):
        while (due := next_due(self.state, self.credit_max_ms)) is not None and due <= at:
            self.now = max(self.now, due)
            self.run()
        self.now = max(self.now, at)
        self.run()

    def do(self, seat, text, *, request_id=None, credit_ms=0):
        """Answers a seat's open decision; returns the receipt."""
        (outcome,) = self.run(self.answer(seat, text, request_id=request_id), credit_ms=credit_ms)
        assert isinstance(outcome, Receipt), outcome
        return outcome

    def refused(self, command):
        """Returns why a command is refused; the table must not have changed by it."""
        before, log = self.state, len(self.log)
        (outcome,) = self.run(command)
        assert isinstance(outcome, Exception), outcome
        assert self.state == before
        assert len(self.log) == log
        return outcome

    def answer(self, seat, text, *, decision_id=None, request_id=None):
        """Returns the command that answers a seat's open decision, or the one of an id."""
        question = self.state.questions[seat]
        if decision_id is None:
            decision_id = question.decision_id if question else ""
        action = Hand.of(self.state.hand, ()).action(text)
        return Answer(Seat(seat), decision_id, action, request_id or str(uuid.uuid4()))

    def give_nonce(self, seat, nonce):
        return GiveNonce(Seat(seat), nonce)

    def confirm(self, seat, hand):
        return ConfirmResult(Seat(seat), hand)

    def leave(self, seat):
        return Leave(Seat(seat))

    def turn(self):
        """Lets the seat in turn discard its drawn tile and everybody pass what it may claim."""
        seat = self.state.hand.actor
        self.do(seat, f"discard {CODES[self.state.hand.drawn]}")
        self.pass_claims()

    def pass_claims(self):
        """Lets everybody pass what it may claim."""
        while self.state.hand.phase is Phase.CLAIM:
            self.do(self.asked()[0], "pass")

    def finish_hand(self):
        """Lets the server answer for everybody until the hand is over."""
        hand = self.state.hand.deal.hand
        while self.state.stage is Stage.HAND and self.state.hand.deal.hand == hand:
            self.wait_until(next_due(self.state, self.credit_max_ms))

    def finish_match(self):
        """Lets the server answer for everybody until the match is over."""
        while (due := next_due(self.state, self.credit_max_ms)) is not None:
            self.wait_until(due)

    # What is seen

    def question(self, seat):
        return self.state.questions[seat]

    def window(self, seat):
        """Returns opening, end of the base time and deadline of a seat's decision, in ms from now."""
        window = self.state.questions[seat].window
        return tuple(
            None if at is None else at - self.now for at in (window.opened_at, window.base_end, window.deadline)
        )

    def asked(self):
        return [seat for seat in range(4) if self.state.questions[seat]]

    def shown(self, seat, *kinds):
        """Returns the events that a seat has been shown by now."""
        return [
            n.event
            for n in self.notices
            if n.seat == seat and n.at <= self.now and (not kinds or isinstance(n.event, kinds))
        ]

    def times(self, seat, *kinds):
        """Returns when a seat is shown events of some kinds, in ms from now."""
        return [n.at - self.now for n in self.notices if n.seat == seat and isinstance(n.event, kinds)]

    def private(self, seat):
        """Returns what a seat has been told of its own decisions."""
        return self.shown(seat, DecisionOpened, DecisionClosed)

    def answers(self):
        """Returns seat, action and timeout of the answers in the log."""
        return [e.what for e in self.log if KINDS[type(e.what)] == "answer"]

    # What a crash leaves

    def stored(self, first=0):
        """Returns the log from an entry on as a database gives it back."""
        return [
            Entry(
                e.sequence,
                e.at,
                happening(KINDS[type(e.what)], orjson.loads(orjson.dumps(payload(e.what)))),
                e.request_id,
            )
            for e in self.log[first:]
        ]

    def rebuilt(self):
        """Returns state and notices of a table that is built from the whole log."""
        state, notices = evolve.open_table(self.opening)
        notices = list(notices)
        for entry in self.stored():
            state, shown = evolve.evolve(state, entry)
            notices += shown
        return state, notices


def open_table(
    rules="classical", *, nonce_window_ms=3_000, result_window_ms=10_000, floor_ms=0, credit_max_ms=0, **wanted
):
    """Returns a table that takes nonces."""
    opening = Opening("table-1", terms(rules, **wanted), SEED, OPENED_AT, nonce_window_ms, result_window_ms)
    return CoreTable(opening, floor_ms=floor_ms, credit_max_ms=credit_max_ms)


def stacked_walls(monkeypatch, *walls):
    """Lets the hands of a match have these walls, the last of them again and again."""
    monkeypatch.setattr(evolve, "shuffle", lambda seed, match_id, nonces, hand: walls[min(hand, len(walls) - 1)])


def stacked(rules, hands, **wishes):
    return stack(rule_set(rules), hands, **wishes)
