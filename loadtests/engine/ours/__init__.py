"""What our engine is asked, one module a group of questions; each has `contenders()`."""

from importlib import import_module

from loadtests.engine.contest import Contender

GROUPS = ("shape", "scoring", "play", "bots")


def contenders() -> list[Contender]:
    """Returns all of ours."""
    return [each for group in GROUPS for each in import_module(f"loadtests.engine.ours.{group}").contenders()]
