"""`mahjong simulate`: plays matches between computer players (docs/formats/notation.md, "Programs")."""

import time
from contextlib import ExitStack
from pathlib import Path
from statistics import fmean
from typing import Annotated, Any, BinaryIO

import orjson
import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from mahjong_cli.lines import clean_endings, write_line
from mahjong_cli.players import LEVELS
from mahjong_cli.simulation import Arguments, BrokenInvariantError, Totals, play_matches
from mahjong_engine.match import MatchLength
from mahjong_engine.rule_set import UnknownRuleSetError, rule_set, rule_set_names


def simulate(
    rules: Annotated[str, typer.Option("--rule-set", help=f"One of {', '.join(rule_set_names())}.")],
    matches: Annotated[int, typer.Option(min=1, help="Number of matches.")],
    seed: Annotated[int, typer.Option(help="Any whole number; walls and chance are derived from it.")],
    length: Annotated[MatchLength, typer.Option(help="Length of each match.")] = MatchLength.FULL,
    players: Annotated[
        str, typer.Option(help=f"Level of each seat, 0-3, of {', '.join(LEVELS)}.")
    ] = "basic,basic,strong,strong",
    export: Annotated[Path | None, typer.Option(help="Write all hand records to this file, one a line.")] = None,
) -> None:
    """Plays matches between computer players and prints one JSON object with what came of it.

    Every hand is checked: 144 tiles, changes that sum to zero, and a record that plays to the same end. The exit status
    is 1 if one is not so. Equal arguments write equal records, byte for byte.
    """
    arguments = _arguments(rules, matches, seed, length, players)
    totals = Totals()
    started = time.perf_counter()
    with clean_endings():
        try:
            _run(arguments, totals, export)
        except BrokenInvariantError as error:
            typer.echo(f"An invariant does not hold: {error}", err=True)
            raise typer.Exit(code=1) from error
        write_line(_summary(arguments, totals, time.perf_counter() - started))


def _arguments(rules: str, matches: int, seed: int, length: MatchLength, players: str) -> Arguments:
    try:
        found = rule_set(rules)
    except UnknownRuleSetError as error:
        raise typer.BadParameter(str(error), param_hint="--rule-set") from error
    levels = tuple(players.split(","))
    if len(levels) != 4 or not set(levels) <= set(LEVELS):
        raise typer.BadParameter(f"four levels of {', '.join(LEVELS)} expected", param_hint="--players")
    return Arguments(found, matches, seed, length, levels)


def _run(arguments: Arguments, totals: Totals, export: Path | None) -> None:
    """Plays all matches, with a progress bar on standard error."""
    with ExitStack() as stack:
        file = stack.enter_context(_open(export)) if export else None
        progress = stack.enter_context(_progress())
        task = progress.add_task("matches", total=arguments.matches, hands=0)
        for record in play_matches(arguments, totals):
            if file:
                file.write(orjson.dumps(record, option=orjson.OPT_APPEND_NEWLINE))
            progress.update(task, completed=totals.matches, hands=totals.hands)
        progress.update(task, completed=totals.matches)


def _open(export: Path) -> BinaryIO:
    try:
        return export.open("wb")
    except OSError as error:
        raise typer.BadParameter(f"cannot write {export}: {error.strerror}", param_hint="--export") from error


def _progress() -> Progress:
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[hands]} hands"),
    )
    return Progress(*columns, TimeRemainingColumn(), console=Console(stderr=True), transient=True)


def _summary(arguments: Arguments, totals: Totals, elapsed_s: float) -> dict[str, Any]:
    means = [score / totals.matches for score in totals.scores]
    by_level = {
        level: [m for m, name in zip(means, arguments.levels, strict=True) if name == level]
        for level in set(arguments.levels)
    }
    return {
        "rule_set": arguments.rule_set.name,
        "length": arguments.length.value,
        "players": list(arguments.levels),
        "seed": orjson.Fragment(str(arguments.seed)),  # of any size
        "matches": totals.matches,
        "hands": totals.hands,
        "wins": dict(sorted(totals.wins.items())),
        "draws": totals.draws,
        "mean_scores": {
            "seats": [round(mean, 2) for mean in means],
            "levels": {level: round(fmean(scores), 2) for level, scores in sorted(by_level.items())},
        },
        "hands_per_second": round(totals.hands / elapsed_s, 1),
    }
