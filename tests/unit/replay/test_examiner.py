"""Matches are judged one after another, each once as long as it does not change, and only so many wait."""

import asyncio
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from mahjong_kit.errors import ThrottledError
from mahjong_replay.examiner import WAITING_MAX, Examiner
from mahjong_replay.store import PlayedMatch
from mahjong_replay.terms import Match, MatchEnd, MatchTerms

END = MatchEnd(0, bytes(80), (), datetime(2026, 11, 30, tzinfo=UTC))
TERMS = MatchTerms("6b4ad2a8-7c1c-4b8e-9d53-0f5b6f0d8a11", "classical", "practice", "one_hand", ())


def played(number=0, records=()):
    return PlayedMatch(Match(replace(TERMS, match_id=f"match {number}"), 0, END), records)


@contextmanager
def busy_thread():
    """A thread that judges nothing until it is let go."""
    let_go = threading.Event()
    with ThreadPoolExecutor(1) as thread:
        thread.submit(let_go.wait)
        try:
            yield thread, let_go
        finally:
            let_go.set()


async def test_a_match_is_judged_once_as_long_as_it_does_not_change():
    with busy_thread() as (thread, let_go):
        examiner = Examiner(thread)
        askers = [asyncio.create_task(examiner.examine(played())) for _ in range(3)]
        await asyncio.sleep(0)
        let_go.set()
        first, *others = await asyncio.gather(*askers)
        assert all(finding is first for finding in [*others, await examiner.examine(played())])
        assert await examiner.examine(played(1)) is not first
        assert [flaw.reason for flaw in (await examiner.examine(played(records=(None,)))).flaws] == ["DAMAGED"]


async def test_one_match_too_many_is_refused_and_those_that_wait_are_judged():
    with busy_thread() as (thread, let_go):
        examiner = Examiner(thread)
        askers = [asyncio.create_task(examiner.examine(played(number))) for number in range(WAITING_MAX)]
        await asyncio.sleep(0)
        with pytest.raises(ThrottledError) as refused:
            await examiner.examine(played(WAITING_MAX))
        assert (refused.value.reason, refused.value.metadata) == (
            "ERROR_REASON_RATE_LIMITED",
            {"limit": "verifications"},
        )
        let_go.set()
        assert [finding.flaws for finding in await asyncio.gather(*askers)] == [()] * WAITING_MAX
        assert (await examiner.examine(played(WAITING_MAX))).flaws == ()


async def test_an_asker_who_goes_away_takes_the_finding_from_nobody():
    with busy_thread() as (thread, let_go):
        examiner = Examiner(thread)
        gone, stays = (asyncio.create_task(examiner.examine(played())) for _ in range(2))
        await asyncio.sleep(0)
        gone.cancel()
        let_go.set()
        assert (await stays).flaws == ()
