"""The table service as the matchmaker knows it."""

import asyncio
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import grpc

from mahjong_kit.errors import error_info, retry_after_s
from mahjong_kit.log import get_logger
from mahjongplanet.errors.v1.error_reason_pb2 import ErrorReason
from mahjongplanet.table.v1.table_service_pb2 import CreateTableRequest, GetPlayerTableRequest

if TYPE_CHECKING:
    from mahjongplanet.table.v1.table_service_pb2_grpc import TableServiceAsyncStub  # There for types only.

_LOOK_UP_TIMEOUT_S: Final = 2.0
SEATED: Final = frozenset({"ERROR_REASON_ALREADY_SEATED", "ERROR_REASON_MATCH_ID_REUSED"})
"""Reasons by which CreateTable says that somebody of the match sits at a table, perhaps the match's own."""
_WITHOUT_EFFECT: Final = frozenset({grpc.StatusCode.INVALID_ARGUMENT, grpc.StatusCode.FAILED_PRECONDITION})
_CAPACITY_RETRY_S: Final = 2.0

_log = get_logger()


@dataclass(frozen=True, slots=True)
class LiveTable:
    """Where a player sits now."""

    table_id: str
    match_id: str


class SeatedElsewhereError(Exception):
    """Somebody of the match sits at a live table already."""


class NoCapacityError(Exception):
    """No worker takes another table now; none was made."""

    def __init__(self, retry_after_s: float) -> None:
        super().__init__()
        self.retry_after_s = retry_after_s


class RefusedError(Exception):
    """The table service refuses the match for good."""


class Tables:
    """Makes tables and finds those of players."""

    def __init__(self, stub: "TableServiceAsyncStub") -> None:
        self._stub = stub

    async def create(self, request: CreateTableRequest) -> str:
        """Makes the table of a match, or finds the one that was made before; returns its id.

        Raises:
            SeatedElsewhereError: no table was made.
            NoCapacityError: no table was made.
            RefusedError: no table was made, and asking again does not help.
            grpc.aio.AioRpcError: a table may have been made or not.
        """
        try:
            return (await self._stub.CreateTable(request)).table_id
        except grpc.aio.AioRpcError as error:
            info = error_info(error)
            reason = "" if info is None else info.reason
            if reason in SEATED:
                raise SeatedElsewhereError from error
            if reason == ErrorReason.Name(ErrorReason.ERROR_REASON_NO_TABLE_CAPACITY):
                raise NoCapacityError(retry_after_s(error) or _CAPACITY_RETRY_S) from error
            if reason and error.code() in _WITHOUT_EFFECT:
                raise RefusedError(reason) from error
            raise

    async def create_now(self, request: CreateTableRequest) -> str:
        """Makes the table of a match within a player's call; a refusal is the player's to see, as it came.

        Raises:
            grpc.aio.AioRpcError: with the reason of the table service, or of the transport.
        """
        return (await self._stub.CreateTable(request)).table_id

    async def find(self, player_id: str) -> LiveTable | None:
        """Returns the live table of a player.

        Raises:
            grpc.aio.AioRpcError: it could not be found out.
        """
        try:
            found = await self._stub.GetPlayerTable(
                GetPlayerTableRequest(player_id=player_id), timeout=_LOOK_UP_TIMEOUT_S
            )
        except grpc.aio.AioRpcError as error:
            if error.code() is grpc.StatusCode.NOT_FOUND:
                return None
            raise
        return LiveTable(found.table_id, found.match_id)

    async def find_all(self, player_ids: Iterable[str]) -> dict[str, LiveTable]:
        """Returns the live tables of those players who sit at one.

        Raises:
            grpc.aio.AioRpcError: they could not be found out.
        """
        asked = list(player_ids)
        found = zip(asked, await asyncio.gather(*map(self.find, asked)), strict=True)
        return {player_id: table for player_id, table in found if table is not None}
