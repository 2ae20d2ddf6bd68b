"""Bugs planted into the service, each of which the simulation must find: else it proves nothing."""

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from typing import Any
from unittest.mock import patch

from mahjong_table.committer import Committer, Done
from mahjong_table.core import decide
from mahjong_table.core.state import TableState
from mahjong_table.keeper import Keeper
from mahjong_table.live import LiveTable
from mahjong_table.service import TableService
from mahjong_table.store.append import Append
from mahjong_table.store.group_commit import GroupCommit
from mahjong_table.store.log import Log, Written
from mahjong_table.store.outbox import Outbox


@contextmanager
def without_fence() -> Iterator[None]:
    """Commits whatever the shard's epoch is, and never fences itself."""

    async def commit(self: Log, appends: Sequence[Append], now: int) -> list[Written]:
        await self._database.transact(GroupCommit(appends, now))
        return [Written.COMMITTED] * len(appends)

    with ExitStack() as stack:
        stack.enter_context(patch.object(Log, "commit", commit))
        stack.enter_context(patch.object(GroupCommit, "_owned", lambda self, epochs: self.appends))
        stack.enter_context(patch("mahjong_table.ownership.lease.Lease.is_held", lambda self, now: True))
        yield


@contextmanager
def acknowledging_before_commit() -> Iterator[None]:
    """Tells tables that an append is committed as soon as it is handed in."""
    submit = Committer.submit

    def early(self: Committer, append: Append, done: Done) -> None:
        submit(self, append, lambda written: None)
        done(Written.COMMITTED)

    with patch.object(Committer, "submit", early):
        yield


@contextmanager
def forgetting_requests() -> Iterator[None]:
    """Looks retried requests up nowhere: not at the table, not in the log."""
    answer = decide._answer

    def anew(state: TableState, command: decide.Answer, *rest: Any) -> Any:
        return answer(state, replace(command, request_id=None), *rest)

    async def nothing(*_: Any) -> None:
        return None

    with patch.object(decide, "_answer", anew), patch.object(TableService, "_first_answer", nothing):
        yield


@contextmanager
def without_credit() -> Iterator[None]:
    """Lets the clocks run on while nobody serves a table."""
    load = Keeper.load

    def uncredited(self: Keeper, env: Any, loaded: Any, alive_at: int | None) -> Any:
        return load(self, env, loaded, env.clock.now())

    with patch.object(Keeper, "load", uncredited), patch.object(Keeper, "stood_still", lambda self, pause_ms: None):
        yield


@contextmanager
def crediting_twice() -> Iterator[None]:
    """Gives back twice what a take-over took."""
    start = LiveTable.start

    def generous(self: LiveTable, outage_ms: int = 0) -> None:
        start(self, 2 * outage_ms)

    with patch.object(LiveTable, "start", generous):
        yield


@contextmanager
def reporting_backwards() -> Iterator[None]:
    """Delivers the newest report first."""
    waiting = Outbox.waiting

    async def backwards(self: Outbox, *page: Any) -> Any:
        return list(reversed(await waiting(self, *page)))

    with patch.object(Outbox, "waiting", backwards):
        yield
