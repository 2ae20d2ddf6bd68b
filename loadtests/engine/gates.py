"""What must hold: ratios to peers in the same run, and goals in absolute figures for a quiet core."""

from dataclasses import dataclass

from loadtests.engine.contest import OURS


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
    Race("scores of wins, itemised", ("score14", "score17", "settle14", "settle17")),
    Race("nodes of a full search", ("perft", "classical perft", "taiwanese perft")),
    Race(
        "random rounds",
        (
            "random rounds",
            "classical random rounds",
            "taiwanese random rounds",
            "classical records verified",
            "taiwanese records verified",
        ),
    ),
    Race(
        "rounds of computer players",
        (
            "bot rounds",
            "classical basic rounds",
            "classical strong rounds",
            "taiwanese basic rounds",
            "taiwanese strong rounds",
        ),
    ),
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
    Gate("classical score", "score14", 5, "mahjong", "score14"),
    Gate("classical score", "score14", 200, "kajongg", "score14"),
    Gate("Taiwanese score", "score17", 5, "mahjong", "score14"),
    Gate("Taiwanese score", "score17", 60, "mahjong16", "score17"),
    Gate("nodes, classical", "classical perft", 0.1, "python-chess", "perft"),
    Gate("nodes, Taiwanese", "taiwanese perft", 0.1, "python-chess", "perft"),
    Gate("random rounds, classical", "classical random rounds", 4, "jansou", "random rounds"),
    Gate("random rounds, classical", "classical random rounds", 1, "riichienv", "random rounds"),
    Gate("random rounds, Taiwanese", "taiwanese random rounds", 4, "jansou", "random rounds"),
    Gate("random rounds, Taiwanese", "taiwanese random rounds", 1, "riichienv", "random rounds"),
    Gate("computers' rounds, classical", "classical basic rounds", 5, "jansou", "bot rounds"),
    Gate("computers' rounds, Taiwanese", "taiwanese basic rounds", 5, "jansou", "bot rounds"),
    Gate("computers' rounds, Taiwanese", "taiwanese basic rounds", 10, "mahjong16tw_core", "bot rounds"),
    Gate("records verified, classical", "classical records verified", 1, OURS, "classical random rounds"),
    Gate("records verified, Taiwanese", "taiwanese records verified", 1, OURS, "taiwanese random rounds"),
)

GOALS = (
    Goal("win14", 2_000_000, 3_000_000),
    Goal("win17", 2_000_000, 3_000_000),
    Goal("win14 from notation", 350_000),
    Goal("splits17", 250_000, 400_000),
    Goal("shanten16", 2_000_000, 3_000_000),
    Goal("useful16", 100_000, 300_000),
    Goal("score14", 50_000, 90_000),
    Goal("score17", 50_000, 100_000),
    Goal("settle14", 12_000, 25_000),
    Goal("classical perft", 30_000, 80_000),
    Goal("taiwanese perft", 30_000, 80_000),
    Goal("classical random rounds", 300, 700),
    Goal("taiwanese random rounds", 300, 700),
    Goal("classical basic rounds", 100, 250),
    Goal("taiwanese basic rounds", 100, 250),
    Goal("classical records verified", 400, 800),
    Goal("taiwanese records verified", 400, 800),
)
