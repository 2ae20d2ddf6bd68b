"""Seeded random matches through the core: answers, repeats, refusals, timeouts, outages and crashes at any point."""

import random
import uuid

import pytest

from mahjong_engine.action import DISCARD, RobFlower, Win
from mahjong_engine.match import MatchLength
from mahjong_engine.record import hand_record
from mahjong_engine.state import Phase
from mahjong_table.core.decide import Answer
from mahjong_table.core.entry import HandStarted, TimeCredited
from mahjong_table.core.evolve import evolve, resume_table
from mahjong_table.core.notice import DecisionClosed, DecisionOpened
from mahjong_table.core.refusal import RefusedError
from mahjong_table.core.state import Receipt, Stage
from mahjong_table.core.terms import TableKind
from tests.unit.table.table_kit import open_table

SCENARIOS = 16
STEPS_MAX = 1_000


class Scenario:
    """Plays one match by chance and remembers what clients were promised."""

    def __init__(self, seed):
        self.chance = random.Random(seed)
        self.table = open_table(
            self.chance.choice(["classical", "taiwanese"]),
            people=self.chance.choice([(0,), (1, 3), (0, 1, 2, 3)]),
            length=self.chance.choice([MatchLength.ONE_HAND, MatchLength.EAST_ROUND]),
            kind=TableKind.PRIVATE,
            floor_ms=self.chance.choice([0, 500]),
            credit_max_ms=self.chance.choice([0, 250]),
        )
        self.promised = {}
        """Receipts that were given, by the command they were given for."""

    def play(self):
        for _ in range(STEPS_MAX):
            if self.table.state.is_over:
                return
            step = self.chance.choices(
                [
                    self.answer,
                    self.answer_badly,
                    self.repeat,
                    self.wait,
                    self.confirm,
                    self.crash,
                    self.leave_and_return,
                ],
                [60, 6, 6, 20, 10, 3, 2],
            )[0]
            step()
        # Long enough: matches of random players need not end.

    def open_questions(self):
        now = self.table.now
        return [q for q in self.table.state.questions if q and not q.is_forced and q.window.opened_at <= now]

    def answer(self):
        if not (questions := self.open_questions()):
            self.wait()
            return
        question = self.chance.choice(questions)
        options = question.decision.options
        best = isinstance(options[0], Win | RobFlower)
        action = options[0] if best else self.chance.choice(options)
        if question.decision.phase is Phase.TURN and not best and self.chance.random() < 0.7:
            action = DISCARD[self.table.state.hand.drawn]
        command = Answer(
            question.decision.seat, question.decision_id, action, str(uuid.UUID(int=self.chance.getrandbits(128)))
        )
        (outcome,) = self.table.run(command, credit_ms=self.table.credit_max_ms)
        assert isinstance(outcome, Receipt), outcome
        self.promised[command] = outcome

    def answer_badly(self):
        seat = self.chance.randrange(4)
        decision_id = f"{self.chance.randrange(4)}.{self.chance.randrange(3)}.{self.chance.randrange(30)}"
        if decision_id in [q.decision_id for q in self.table.state.questions if q]:
            return
        before = self.table.state
        (outcome,) = self.table.run(Answer(seat, decision_id, DISCARD[self.chance.randrange(34)], "x"))
        assert isinstance(outcome, RefusedError)
        assert self.table.state == before

    def repeat(self):
        recent = [c for c in self.promised if c.request_id in self.table.state.receipts]
        if recent:
            command = self.chance.choice(recent)
            assert self.table.run(command) == [self.promised[command]]

    def wait(self):
        self.table.wait(self.chance.choice([10, 300, 1_000, 4_000, 30_000]))

    def confirm(self):
        if self.table.state.stage is Stage.RESULT and self.table.now >= self.table.state.shown_at:
            self.table.run(
                self.table.confirm(self.chance.choice(self.table.state.terms.people), self.table.state.match.hand - 1)
            )

    def leave_and_return(self):
        self.table.present ^= {self.chance.randrange(4)}

    def crash(self):
        """The worker dies; another one builds the table from its log and credits the outage."""
        table = self.table
        if starts := [i for i, e in enumerate(table.log) if isinstance(e.what, HandStarted)]:
            entries = table.stored(starts[-1])
            state, notices = resume_table(table.opening, entries[0]), []
            for entry in entries:
                state, shown = evolve(state, entry)
                notices += shown
            assert state == table.state
            assert notices == table.notices[len(table.notices) - len(notices) :]
            table.state = state
        outage_ms = self.chance.choice([50, 5_000, 100_000, -3_000])
        table.now += outage_ms
        table.run(first=TimeCredited(outage_ms))


@pytest.fixture(scope="module", params=range(SCENARIOS))
def scenario(request):
    played = Scenario(request.param)
    played.play()
    return played


def test_the_log_alone_gives_the_same_table_and_the_same_streams(scenario):
    assert scenario.table.rebuilt() == (scenario.table.state, scenario.table.notices)


def test_every_viewers_events_are_numbered_from_one_without_gaps(scenario):
    for seat in scenario.table.state.terms.people:
        numbers = [n.sequence for n in scenario.table.notices if n.seat == seat]
        assert numbers == list(range(1, len(numbers) + 1))


def test_computers_have_no_stream(scenario):
    assert {n.seat for n in scenario.table.notices} <= set(scenario.table.state.terms.people)


def test_every_promised_answer_is_in_the_log_once(scenario):
    logged = [
        (e.what.seat, e.what.decision_id, e.what.action, e.request_id) for e in scenario.table.log if e.request_id
    ]
    promised = [(c.seat, c.decision_id, c.action, c.request_id) for c in scenario.promised]
    assert logged == promised


def test_every_answer_stands_where_its_receipt_says(scenario):
    closed = {(n.seat, n.sequence): n.event for n in scenario.table.notices if isinstance(n.event, DecisionClosed)}
    for command, receipt in scenario.promised.items():
        if command.seat in scenario.table.state.terms.people:
            event = closed[command.seat, receipt.stands_at]
            assert (event.decision_id, event.action, event.timed_out) == (command.decision_id, command.action, False)


def test_every_decision_is_opened_before_it_is_closed_and_closed_once(scenario):
    for seat in scenario.table.state.terms.people:
        opened, closed = set(), set()
        for event in (n.event for n in scenario.table.notices if n.seat == seat):
            if isinstance(event, DecisionOpened):
                assert event.question.decision_id not in closed
                opened.add(event.question.decision_id)
            if isinstance(event, DecisionClosed):
                assert event.decision_id in opened - closed
                closed.add(event.decision_id)
        still = scenario.table.state.questions[seat]
        assert opened - closed == ({still.decision_id} if still and not still.is_forced else set())


def test_the_log_of_a_hand_is_its_record(scenario):
    table = scenario.table
    if table.state.hand is None:
        pytest.fail("no hand was dealt")
    hand = table.state.hand.deal.hand
    logged = [a for a in table.answers() if a.decision_id.split(".")[1] == str(hand)]
    recorded = hand_record(table.state.hand)["decisions"]
    assert len(recorded) <= len(logged)
    assert sum(d.get("timeout", False) for d in recorded) <= sum(a.timeout for a in logged)
