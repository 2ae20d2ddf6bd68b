"""Tells the matchmaker who did not come to a table, so that it can keep them from rated pools for a while."""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Collection
from typing import Final

import grpc

from mahjong_engine.tile import Seat
from mahjong_kit.log import get_logger
from mahjong_table.core.terms import Terms
from mahjong_table.wire.words import TABLE_KINDS
from mahjongplanet.matchmaker.v1 import matchmaker_service_pb2 as pb

_WAITING_MAX: Final = 1_000
_ATTEMPTS: Final = 10
_PAUSE_FIRST_S: Final = 0.5
_PAUSE_LONGEST_S: Final = 30.0

Send = Callable[[pb.ReportNoShowsRequest], Awaitable[object]]

_log = get_logger()


class NoShows:
    """Reports that wait. One that cannot be told for minutes is dropped: nobody is blamed for what is long past."""

    def __init__(self, send: Send | None) -> None:
        self._send = send
        self._waiting: deque[pb.ReportNoShowsRequest] = deque(maxlen=_WAITING_MAX)
        self._wake = asyncio.Event()

    def report(self, terms: Terms, seats: Collection[Seat]) -> None:
        """Takes a report."""
        players = [terms.occupants[seat].player_id or "" for seat in sorted(seats)]
        _log.info("players.missing", match_id=terms.match_id, seats=sorted(seats))
        kind = TABLE_KINDS[terms.kind]
        self._waiting.append(pb.ReportNoShowsRequest(match_id=terms.match_id, table_kind=kind, player_ids=players))
        self._wake.set()

    async def run(self) -> None:
        """Sends until cancelled."""
        while True:
            await self._wake.wait()
            self._wake.clear()
            while self._send is not None and self._waiting:
                await self._deliver(self._send, self._waiting.popleft())

    async def _deliver(self, send: Send, report: pb.ReportNoShowsRequest) -> None:
        pause_s = _PAUSE_FIRST_S
        for _ in range(_ATTEMPTS):
            try:
                await send(report)
            except grpc.aio.AioRpcError as error:
                _log.warning("no_shows.untold", match_id=report.match_id, code=error.code().name)
            else:
                return
            await asyncio.sleep(pause_s)
            pause_s = min(pause_s * 2, _PAUSE_LONGEST_S)
