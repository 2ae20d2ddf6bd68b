"""How long single calls take, where the slowest matter as much as the mean: one decision, one answer of a computer."""

import gc
from collections.abc import Iterator
from time import thread_time_ns

from loadtests.engine.ours.play import asked, deal
from mahjong_engine.bots import LEVELS
from mahjong_engine.hand import apply, open_decisions
from mahjong_engine.rule_set import rule_set
from mahjong_engine.view import view

ROUNDS = range(5_000, 5_040)


def measure() -> Iterator[tuple[str, float, float]]:
    """Yields (what, mean, 99th percentile), in microseconds of processor time."""
    for name in ("classical", "taiwanese"):
        rules = rule_set(name)
        times: dict[str, list[int]] = {"decision": [], **{f"{level} player": [] for level in LEVELS}}
        gc.collect()
        for seed in ROUNDS:
            state = deal(rules, seed)
            while not state.is_over:
                seat, _ = asked(state)
                seen = view(state, seat)
                for level, decide in LEVELS.items():
                    start = thread_time_ns()
                    action = decide(seen)
                    times[f"{level} player"].append(thread_time_ns() - start)
                start = thread_time_ns()
                state, _ = apply(state, seat, action)
                open_decisions(state)
                times["decision"].append(thread_time_ns() - start)
        for what, values in times.items():
            values.sort()
            yield f"{name} {what}", sum(values) / len(values) / 1000, values[len(values) * 99 // 100] / 1000
