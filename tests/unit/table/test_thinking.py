"""A live table's computers answer, whatever comes between."""

from types import SimpleNamespace

from mahjong_kit.metrics import ServiceMetrics
from mahjong_table.computers import Computers
from mahjong_table.core.entry import Answered, TimeCredited
from mahjong_table.live import LiveTable
from mahjong_table.metrics import TableMetrics
from mahjong_table.store.log import Written

FLOOR_MS = 400


class PassingClock:
    """Moves on by a millisecond whenever it is read, as a busy process may see it."""

    def __init__(self, at):
        self.at = at

    def now(self):
        self.at += 1
        return self.at


class HeldCommits:
    """Commits when the test says so."""

    def __init__(self):
        self.appends = []
        self._waiting = []

    def submit(self, append, done):
        self._waiting.append((append, done))

    @property
    def is_waiting(self):
        return bool(self._waiting)

    def commit(self):
        append, done = self._waiting.pop()
        self.appends.append(append)
        done(Written.COMMITTED)

    def fail(self, error):
        self._waiting.pop()[1](error)


def nothing(*_, **__):
    """Stands for what a table tells others."""


def environment(clock):
    metrics = TableMetrics(ServiceMetrics("table"))
    settings = SimpleNamespace(
        latency_credit_max_ms=0, arrival_window_ms=0, recent_events_max=8, resume_events_max=8, stream_queue_max=8
    )
    return SimpleNamespace(
        settings=settings,
        clock=clock,
        committer=HeldCommits(),
        computers=Computers(metrics),
        metrics=metrics,
        pulse=SimpleNamespace(beat=nothing),
        wheel=SimpleNamespace(set=nothing),
        projector=SimpleNamespace(touch=nothing),
        keeper=SimpleNamespace(stalled=nothing, reported=nothing),
        floor_ms=lambda: 0,
        thought_ms=lambda: 0,
    )


def test_computer_whose_question_an_outage_has_moved_answers_together_with_its_credit(deal):
    core = deal("classical", people=(1, 2, 3))
    opens_at = core.question(0).window.opened_at
    stopped_at, back_at = opens_at - FLOOR_MS, opens_at + 5_000  # The worker died while the floor held it back.
    env = environment(PassingClock(back_at))
    table = LiveTable(env, 1, core.state, core.notices)
    table.start(back_at - stopped_at)
    env.committer.commit()
    credit, answer = env.committer.appends[0].entries
    assert isinstance(credit.what, TimeCredited)
    assert isinstance(answer.what, Answered)
    assert (answer.what.seat, answer.what.timeout) == (0, False)
