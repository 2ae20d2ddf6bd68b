"""Tells the matchmaker who did not come to a table, so that it can keep them from rated pools for a while."""

import asyncio
from collections.abc import Awaitable, Callable, Collection
from typing import Final

import grpc

from mahjong_engine.tile import Seat
from mahjong_kit.log import get_logger
from mahjong_table.core.terms import Terms
from mahjong_table.wire.words import TABLE_KINDS
from mahjongplanet.matchmaker.v1 import matchmaker_service_pb2 as pb

_UNTOLD_MAX: Final = 1_000
_CALLS_MAX: Final = 8
_ATTEMPTS: Final = 10
_PAUSE_FIRST_S: Final = 0.5
_PAUSE_LONGEST_S: Final = 30.0

Send = Callable[[pb.ReportNoShowsRequest], Awaitable[object]]

_log = get_logger()


class NoShows:
    """Reports that are to be told, each repeated by itself: one that is refused holds up no other.

    One that cannot be told for minutes is dropped, for nobody is blamed for what is long past. Those of a worker that
    fails are found anew by whoever takes its tables; the matchmaker takes one for each match.
    """

    def __init__(self, send: Send | None) -> None:
        self._send = send
        self._new: asyncio.Queue[pb.ReportNoShowsRequest] = asyncio.Queue()
        self._untold = 0
        self._room = asyncio.Semaphore(_CALLS_MAX)

    def report(self, terms: Terms, seats: Collection[Seat]) -> None:
        """Takes a report."""
        players = [terms.occupants[seat].player_id or "" for seat in sorted(seats)]
        _log.info("players.missing", match_id=terms.match_id, seats=sorted(seats))
        if self._send is not None and self._untold < _UNTOLD_MAX:
            self._untold += 1
            kind = TABLE_KINDS[terms.kind]
            self._new.put_nowait(pb.ReportNoShowsRequest(match_id=terms.match_id, table_kind=kind, player_ids=players))

    async def run(self) -> None:
        """Sends until cancelled."""
        async with asyncio.TaskGroup() as reports:
            while True:
                reports.create_task(self._deliver(await self._new.get()))

    async def _deliver(self, report: pb.ReportNoShowsRequest) -> None:
        pause_s = _PAUSE_FIRST_S
        for _ in range(_ATTEMPTS):
            if await self._tell(report):
                break
            await asyncio.sleep(pause_s)
            pause_s = min(pause_s * 2, _PAUSE_LONGEST_S)
        self._untold -= 1

    async def _tell(self, report: pb.ReportNoShowsRequest) -> bool:
        assert self._send is not None
        async with self._room:
            try:
                await self._send(report)
            except Exception as error:  # noqa: BLE001 - whatever it is, the other reports go on
                code = error.code().name if isinstance(error, grpc.aio.AioRpcError) else type(error).__name__
                _log.warning("no_shows.untold", match_id=report.match_id, code=code)
                return False
        return True
