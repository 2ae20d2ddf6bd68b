"""Races: engines take turns on one core, and each is timed by the processor time of its own slices.

- Native input is built before the clock starts: a table, too, already holds its own.
- Every slice uses hands that its engine has not seen, so that no cache of whole hands can help. Half as many more go
  first without the clock, since another engine has just had the core and its caches.
- All engines of a race run one slice each per lap, so that a slow moment of the machine hits them alike. A ratio of two
  engines is the median over the laps of the ratio within a lap.
- Before the laps, the answers to one slice are compared with a plain reference.
"""

import gc
import os
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from statistics import median
from typing import Any

LAPS = 7
SLICE_S = 0.1
MOST_PER_SLICE = 16_000

OURS = "ours"


class Sample:
    """An endless sequence of test inputs, made some at a time when first asked for, and the same in every run."""

    def __init__(self, make: Callable[[int], Sequence[Any]]) -> None:
        self._make = make
        self._calls = 0
        self._made: list[Any] = []

    def take(self, start: int, count: int) -> list[Any]:
        """Returns the inputs from one place on."""
        while len(self._made) < start + count:
            self._made += self._make(self._calls)
            self._calls += 1
        return self._made[start : start + count]


@dataclass
class Contender:
    """One engine on one question."""

    engine: str
    question: str
    sample: Sample
    prepare: Callable[[Any], Any]
    """Turns an input into what the engine holds natively."""
    answer: Callable[[Any], Any]
    """The timed call, unless there is a loop."""
    is_right: Callable[[Any, Any], bool] | None = None
    """Judges (input, answer)."""
    checks: int = 2_000
    """How many answers are judged at most: some references are slow."""
    loop: Callable[[Sequence[Any]], None] | None = None
    """Makes the timed calls itself, where going through `answer` would cost about as much as they do."""
    counts: bool = False
    """Whether an answer is a number of things done, which are then what is counted, not calls."""
    before_slice: Callable[[], None] | None = None
    least: int = 20
    """Fewest calls in a slice."""
    rates: list[float] = field(default_factory=list)
    """Answers per second of processor time, lap by lap."""
    wrong: int = 0
    checked: int = 0
    error: str | None = None
    _next: int = 0
    _size: int = 0

    def warm_up(self) -> None:
        """Finds the size of a slice and judges the answers of the first."""
        self._size = self.least
        seconds, _ = self._run(self._size)
        self._size = max(self.least, min(MOST_PER_SLICE, int(SLICE_S * self._size / max(seconds, 1e-9))))
        if self.is_right:
            self._judge(self.is_right)

    def _judge(self, is_right: Callable[[Any, Any], bool]) -> None:
        self.checked = min(self._size, self.checks)
        inputs = self.sample.take(self._next, self.checked)
        self._next += self.checked
        self.wrong = sum(not is_right(each, self.answer(self.prepare(each))) for each in inputs)

    def lap(self) -> None:
        """Runs one slice and notes its rate."""
        seconds, done = self._run(self._size)
        self.rates.append(done / seconds)

    def _run(self, size: int) -> tuple[float, int]:
        """Returns the seconds that so many calls take, and how much they do."""
        warming = size // 2
        natives = [self.prepare(each) for each in self.sample.take(self._next, warming + size)]
        self._next += warming + size
        if self.before_slice:
            self.before_slice()
        gc.collect()
        self._call_all(natives[:warming])
        natives = natives[warming:]
        start = time.process_time()
        done = self._call_all(natives)
        return time.process_time() - start, done

    def _call_all(self, natives: Sequence[Any]) -> int:
        answer = self.answer
        if self.counts:
            return sum(map(answer, natives))
        if self.loop:
            self.loop(natives)
        else:
            for native in natives:
                answer(native)
        return len(natives)

    @property
    def rate(self) -> float:
        """The median rate."""
        return median(self.rates) if self.rates else 0.0


def race(contenders: Sequence[Contender]) -> None:
    """Runs all contenders lap by lap; one that fails is out, and its error is kept."""
    runners = [each for each in contenders if _survives(each, each.warm_up)]
    for _ in range(LAPS):
        runners = [each for each in runners if _survives(each, each.lap)]


def _survives(contender: Contender, step: Callable[[], None]) -> bool:
    try:
        step()
    except Exception as error:  # noqa: BLE001 - whatever a peer raises, the others go on
        contender.error = f"{type(error).__name__}: {error}"
    return contender.error is None


def ratio(one: Contender, other: Contender) -> float:
    """Returns how many times faster the one is, as the median over the laps."""
    return median(mine / theirs for mine, theirs in zip(one.rates, other.rates, strict=True))


def pin() -> int | None:
    """Keeps this process on one core, the last that it may use; returns which, if the system can do that."""
    if not hasattr(os, "sched_setaffinity"):
        return None
    core = max(os.sched_getaffinity(0))
    os.sched_setaffinity(0, {core})
    return core
