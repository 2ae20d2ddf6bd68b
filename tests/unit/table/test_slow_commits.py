"""A commit that takes long costs nobody the time that the rules give."""

import pytest
from sqlalchemy.exc import OperationalError

from mahjong_table.core.decide import Answer
from mahjong_table.core.entry import Answered, TimeCredited
from mahjong_table.core.state import Stage
from mahjong_table.live import LiveTable
from tests.unit.table.test_thinking import environment

SLOW_MS = 3_000


class SteppedClock:
    """Stands still until it is moved."""

    def __init__(self, at):
        self.at = at

    def now(self):
        return self.at


class Slow:
    """A live table whose commits take as long as the test says."""

    def __init__(self, core):
        self.clock = SteppedClock(core.now)
        self.env = environment(self.clock)
        self.table = LiveTable(self.env, 1, core.state, core.notices)
        self.table.start()

    @property
    def state(self):
        return self.table.state

    @property
    def committed(self):
        return [entry.what for append in self.env.committer.appends for entry in append.entries]

    def commit(self, after_ms, *, noticed_ms=0):
        """Lets the commit under way end; the pulse notices meanwhile for how long the process stood still."""
        self.clock.at += after_ms
        self.env.pulse.beat = lambda: self.notice(noticed_ms)
        self.env.committer.commit()

    def notice(self, pause_ms):
        self.env.pulse.beat = lambda: None
        if pause_ms:
            self.table.owe(pause_ms)

    def discard(self):
        """Answers for the seat in turn with its drawn tile."""
        hand, question = self.state.hand, self.state.questions[self.state.hand.actor]
        action = next(a for a in question.decision.options if getattr(a, "tile", None) == hand.drawn)
        self.table.tell(Answer(question.decision.seat, question.decision_id, action))

    def time_left(self):
        """Returns how long the seat in turn has from now on, in ms."""
        return self.state.questions[self.state.hand.actor].window.deadline - self.clock.at


@pytest.fixture
def slow(deal):
    return Slow(deal("classical"))


def credited(slow):
    return [what.shift_ms for what in slow.committed if isinstance(what, TimeCredited)]


def test_a_decision_has_its_whole_time_from_when_its_commit_was_done(slow):
    slow.discard()
    slow.commit(SLOW_MS)
    slow.commit(0)
    assert credited(slow) == [SLOW_MS]
    assert slow.time_left() == 25_000


def test_a_quick_commit_is_not_worth_an_entry(slow):
    slow.discard()
    slow.commit(499)
    assert not slow.env.committer.is_waiting
    assert credited(slow) == []


def test_a_slow_commit_of_a_credit_opens_nothing_and_is_not_credited(slow):
    slow.discard()
    slow.commit(SLOW_MS)
    slow.commit(SLOW_MS)
    assert not slow.env.committer.is_waiting
    assert credited(slow) == [SLOW_MS]
    assert slow.time_left() == 25_000 - SLOW_MS, "they were shown before it"


def test_a_pause_that_the_pulse_has_noticed_is_not_credited_once_more(slow):
    slow.discard()
    slow.commit(SLOW_MS, noticed_ms=SLOW_MS)
    slow.commit(0)
    assert credited(slow) == [SLOW_MS]


def test_a_take_over_during_a_slow_commit_counts_from_when_it_was_handed_in(slow):
    handed_in_at = slow.clock.at
    slow.discard()
    slow.clock.at += SLOW_MS
    assert slow.table.behind_since == handed_in_at
    slow.commit(0)
    slow.commit(0)
    assert slow.table.behind_since is None


def test_a_commit_that_fails_after_a_while_is_credited_from_when_it_was_handed_in(slow):
    slow.discard()
    slow.clock.at += SLOW_MS
    slow.env.committer.fail(OperationalError("INSERT", {}, Exception("the connection was lost")))
    slow.clock.at += 1_000
    slow.table.recover([])
    slow.commit(0)
    assert credited(slow) == [SLOW_MS + 1_000]
    assert slow.time_left() == 25_000


def test_people_see_a_result_for_its_whole_time(deal):
    slow = Slow(deal("classical", "1b 2b 3b 4b 5b 6b 7b 8b 9b 1c 2c 3c 5d 5d"))
    question = slow.state.questions[0]
    slow.table.tell(Answer(question.decision.seat, question.decision_id, question.decision.options[0]))
    slow.commit(SLOW_MS)
    assert slow.state.stage is Stage.RESULT
    slow.commit(0)
    assert slow.state.stage_deadline - slow.clock.at == slow.state.opening.result_window_ms


def test_computers_lose_nothing_by_a_slow_commit(deal):
    slow = Slow(deal("classical", people=(3,)))
    slow.commit(SLOW_MS)
    answers = [what for what in slow.committed if isinstance(what, Answered)]
    assert len(answers) == 1
    assert credited(slow) == []
