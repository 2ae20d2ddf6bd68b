"""Checks ratings against the results that they came from."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass

from mahjong_kit.sql import Database
from mahjong_rating.ledger import open_ledger
from mahjong_rating.recompute import Difference, Recomputation, unrated
from mahjong_rating.report import Report
from mahjong_rating.standing import Change


@dataclass
class Summary:
    """What was recomputed."""

    match_count: int = 0
    player_count: int = 0
    """Each once a rule set."""
    difference_count: int = 0


class Auditor:
    """Recomputes everything, off the event loop, while the service goes on."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def recompute(self, rule_sets: Sequence[str]) -> AsyncIterator[Difference | Summary]:
        """Yields every difference between what is stored and what the results lead to, and at last the summary."""
        summary = Summary()
        for rule_set in rule_sets:
            recomputation = Recomputation(rule_set)
            async for difference in self._differences(recomputation, rule_set):
                summary.difference_count += 1
                yield difference
            summary.match_count += recomputation.match_count
            summary.player_count += recomputation.player_count
        yield summary

    async def _differences(self, recomputation: Recomputation, rule_set: str) -> AsyncIterator[Difference]:
        async with open_ledger(self._database, rule_set) as ledger:
            async for matches in ledger.matches():
                for difference in await asyncio.to_thread(_apply, recomputation, matches):
                    yield difference
            for report in await ledger.unrated():
                yield unrated(report)
            for difference in recomputation.compare_ratings(await ledger.ratings()):
                yield difference
            for difference in recomputation.compare_seasons(await ledger.seasons()):
                yield difference


def _apply(recomputation: Recomputation, matches: Sequence[tuple[Report, Sequence[Change]]]) -> list[Difference]:
    return [difference for report, stored in matches for difference in recomputation.apply(report, stored)]
