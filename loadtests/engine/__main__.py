"""Measures the engine beside its peers and judges the gates: `make bench-engine`.

Exit status 1 if a gate is missed or one of our answers is wrong.
"""

import argparse
import platform
import sys

from loadtests.engine import delays, ours, peers
from loadtests.engine.contest import LAPS, OURS, Contender, pin, race, ratio
from loadtests.engine.gates import GATES, GOALS, RACES, Gate, Race
from loadtests.engine.imports import measure_import


def main() -> int:
    """Runs what the arguments name."""
    parser = argparse.ArgumentParser(prog="bench-engine", description=__doc__)
    parser.add_argument("--only", default="", help="run only races whose title contains this")
    parser.add_argument("--no-peers", action="store_true", help="run ours alone; gates are then not judged")
    arguments = parser.parse_args()
    core = pin()
    print(f"python {platform.python_version()}, core {core}, {LAPS} laps, rates per second of processor time")
    found, absent = ([], {}) if arguments.no_peers else peers.contenders()
    everyone = [*ours.contenders(), *found]
    for each in RACES:
        if arguments.only in each.title:
            _run(each, everyone)
    if not arguments.only:
        seconds, mebibytes = measure_import()
        print(f"\nimport of the engine, tables included\n  {1000 * seconds:.0f} ms, {mebibytes:.1f} MiB")
        print("\nsingle calls, in microseconds")
        for what, mean, high in delays.measure():
            print(f"  {what:<28} mean {mean:>7.1f}   99th percentile {high:>7.1f}")
    print("\npeers that are absent")
    for name, reason in absent.items():
        print(f"  {name}: {reason}")
    _report_goals(everyone)
    whole = not arguments.only and not arguments.no_peers
    return 0 if _report_gates(everyone, absent, whole=whole) and not _wrong(everyone) else 1


def _run(race_: Race, everyone: list[Contender]) -> None:
    contenders = [each for question in race_.questions for each in everyone if each.question == question]
    race(contenders)
    print(f"\n{race_.title}")
    for each in sorted(contenders, key=lambda each: (each.question, -each.rate)):
        judged = f"{each.wrong} of {each.checked} wrong" if each.checked else "not judged"
        print(f"  {each.question:<28} {each.engine:<30} {each.rate:>13,.1f}/s   {each.error or judged}")


def _find(everyone: list[Contender], engine: str, question: str) -> Contender | None:
    return next((c for c in everyone if c.rates and c.question == question and c.engine.split()[0] == engine), None)


def _report_goals(everyone: list[Contender]) -> None:
    print("\ngoals for a quiet core (missing one fails nothing)")
    for goal in GOALS:
        if mine := _find(everyone, OURS, goal.ours):
            met = "met" if mine.rate >= goal.goal else "missed"
            stretch = f", stretch {goal.stretch:,.0f}/s" if goal.stretch else ""
            print(f"  {met:<8} {goal.ours:<28} {mine.rate:>13,.1f}/s   goal {goal.goal:,.0f}/s{stretch}")


def _report_gates(everyone: list[Contender], absent: dict[str, str], *, whole: bool) -> bool:
    print("\ngates")
    failed = [gate for gate in GATES if not _passes(gate, everyone, absent, whole=whole)]
    return not failed


def _passes(gate: Gate, everyone: list[Contender], absent: dict[str, str], *, whole: bool) -> bool:
    """Judges one gate; in a whole run only peers that no registry serves may be missing."""
    label = f"{gate.what:<38} at least {gate.at_least:>5} x {gate.peer}"
    mine, theirs = _find(everyone, OURS, gate.ours), _find(everyone, gate.peer, gate.theirs)
    if mine is None or theirs is None:
        is_absent = gate.peer in absent
        print(f"  {'absent' if is_absent else 'not run':<8} {label}")
        return is_absent or not whole
    measured = ratio(mine, theirs)
    passed = measured >= gate.at_least
    print(f"  {'pass' if passed else 'FAIL':<8} {label:<70} measured {measured:.2f}")
    return passed


def _wrong(everyone: list[Contender]) -> bool:
    mine = [each for each in everyone if each.engine == OURS]
    return any(each.wrong or each.error for each in mine)


sys.exit(main())
