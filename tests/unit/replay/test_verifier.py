"""The verifier goes on whatever happens: to the store, or inside of the engine."""

import asyncio
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import UTC, datetime

from mahjong_kit.metrics import ServiceMetrics
from mahjong_replay.errors import record_too_new
from mahjong_replay.examiner import Examiner
from mahjong_replay.metrics import ReplayMetrics
from mahjong_replay.store import PlayedMatch
from mahjong_replay.terms import Match, MatchEnd, MatchTerms
from mahjong_replay.verifier import Verifier

TERMS = MatchTerms("6b4ad2a8-7c1c-4b8e-9d53-0f5b6f0d8a11", "classical", "practice", "one_hand", ())
LEFT = PlayedMatch(Match(TERMS, 0, MatchEnd(0, bytes(80), (), datetime(2026, 11, 30, tzinfo=UTC))), ())


class FakeStore:
    """Matches in memory; the first questions may fail."""

    def __init__(self, played, failures=0):
        self.due = {str(number): match for number, match in enumerate(played)}
        self.found = {}
        self.failures = failures
        self.all_found = asyncio.Event()

    async def list_due(self, after, count):
        if self.failures:
            self.failures -= 1
            raise ConnectionError
        return [match_id for match_id in sorted(self.due) if match_id > after][:count]

    async def find_played(self, match_id):
        played = self.due[match_id]
        if isinstance(played, Exception):
            raise played
        return played

    async def write_verification(self, match_id, finding):
        del self.due[match_id]
        self.found[match_id] = finding.flaws
        if all(isinstance(played, Exception) for played in self.due.values()):
            self.all_found.set()


@asynccontextmanager
async def verifying(store):
    with ThreadPoolExecutor(1) as thread:
        verifier = Verifier(store, Examiner(thread), ReplayMetrics(ServiceMetrics("replay")), period_s=0.001)
        async with verifier.running(), asyncio.timeout(60):
            yield verifier


async def test_everything_due_is_verified():
    store = FakeStore([LEFT] * 50)
    async with verifying(store):
        await store.all_found.wait()
    assert store.found == {str(number): () for number in range(50)}


async def test_match_that_breaks_the_engine_is_marked_and_the_next_is_verified():
    unknown = replace(TERMS, rule_set="unknown")
    store = FakeStore([LEFT._replace(match=replace(LEFT.match, terms=unknown)), LEFT])
    async with verifying(store):
        await store.all_found.wait()
    (flaw,) = store.found["0"]
    assert (flaw.hand_number, flaw.reason) == (None, "CRASHED")
    assert store.found["1"] == ()


async def test_store_that_is_away_is_asked_again():
    store = FakeStore([LEFT], failures=3)
    async with verifying(store):
        await store.all_found.wait()
    assert store.found == {"0": ()}


async def test_matches_of_a_later_release_stay_due_and_keep_no_other_waiting():
    later = [record_too_new(2)] * 30
    store = FakeStore([*later, LEFT])
    async with verifying(store):
        await store.all_found.wait()
    assert store.found == {"30": ()}
    assert len(store.due) == 30
