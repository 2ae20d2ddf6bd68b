"""What must hold: ratios to peers in the same run, and goals in absolute figures for a quiet core."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Race:
    """Questions whose contenders run lap by lap together."""

    title: str
    questions: tuple[str, ...]


@dataclass(frozen=True)
class Gate:
    """Our rate on one question is at least so many times a peer's on another."""

    what: str
    ours: str
    at_least: float
    peer: str
    theirs: str


@dataclass(frozen=True)
class Goal:
    """A rate per second to aim for; missing it fails nothing."""

    ours: str
    goal: float
    stretch: float | None = None


RACES = (
    Race("win check", ("win14", "win17", "win14 from notation")),
    Race("every decomposition of a win", ("splits14", "splits17")),
    Race("exact shanten", ("shanten13", "shanten16")),
    Race("shanten with its useful tiles", ("useful13", "useful16")),
)

GATES = (
    Gate("win check, 14 tiles", "win14", 8, "mahjong", "win14"),
    Gate("win check, 14 tiles", "win14", 1.5, "xiangting", "win14"),
    Gate("win check, 17 tiles", "win17", 8, "mahjong", "win14"),
    Gate("win check, 17 tiles", "win17", 1.5, "xiangting", "win14"),
    Gate("win check from notation", "win14 from notation", 2, "mahjong", "win14"),
    Gate("every decomposition, 17 tiles", "splits17", 8, "mahjong", "splits14"),
    Gate("exact shanten, 16 tiles", "shanten16", 60, "mahjong", "shanten13"),
    Gate("exact shanten, 16 tiles", "shanten16", 1, "riichienv", "shanten13"),
    Gate("shanten with useful tiles, 16 tiles", "useful16", 30, "mahjong16", "useful16"),
)

GOALS = (
    Goal("win14", 2_000_000, 3_000_000),
    Goal("win17", 2_000_000, 3_000_000),
    Goal("win14 from notation", 350_000),
    Goal("splits17", 250_000, 400_000),
    Goal("shanten16", 2_000_000, 3_000_000),
    Goal("useful16", 100_000, 300_000),
)
