"""A table service of one room: remembers its tables, plays nothing. On the wire it is the real thing."""

import asyncio
import uuid
from collections.abc import Callable

from typing_extensions import override

from mahjong_kit.errors import AlreadyExistsError, NotFoundError, ServiceError
from mahjongplanet.errors.v1.error_reason_pb2 import ErrorReason
from mahjongplanet.table.v1 import table_service_pb2 as pb
from mahjongplanet.table.v1.table_service_pb2_grpc import TableServiceServicer


class Hall(TableServiceServicer):
    """Tables by match id. Tests may close the door, turn callers away and look around."""

    def __init__(self) -> None:
        self.tables: dict[str, str] = {}
        self.requests: list[pb.CreateTableRequest] = []
        """Each table's request, in the order the tables were made."""
        self.calls: list[str] = []
        """Match ids of all calls of CreateTable."""
        self.seats: dict[str, tuple[str, str]] = {}
        """Table and match of each seated player."""
        self.open = asyncio.Event()
        self.open.set()
        """While it is not set, CreateTable waits."""
        self.refusals: list[ServiceError] = []
        """Errors for the next calls of CreateTable, first one first."""
        self.after_commit: Callable[[], None] | None = None
        """Runs once a table is made, before the caller is told."""

    @override
    async def CreateTable(self, request: pb.CreateTableRequest, context: object) -> pb.CreateTableResponse:
        self.calls.append(request.match_id)
        await self.open.wait()
        if self.refusals:
            raise self.refusals.pop(0)
        if request.match_id not in self.tables:
            self._seat(request)
        if self.after_commit is not None:
            hook, self.after_commit = self.after_commit, None
            hook()
        return pb.CreateTableResponse(table_id=self.tables[request.match_id])

    @override
    async def GetPlayerTable(self, request: pb.GetPlayerTableRequest, context: object) -> pb.GetPlayerTableResponse:
        if request.player_id not in self.seats:
            raise NotFoundError(ErrorReason.ERROR_REASON_TABLE_NOT_FOUND, table_id="")
        table_id, match_id = self.seats[request.player_id]
        return pb.GetPlayerTableResponse(table_id=table_id, match_id=match_id)

    def people(self) -> list[str]:
        """Returns the players of all tables, each as often as it was seated."""
        return [one.player_id for request in self.requests for one in request.occupants if one.player_id]

    def _seat(self, request: pb.CreateTableRequest) -> None:
        people = [occupant.player_id for occupant in request.occupants if occupant.player_id]
        for player_id in people:
            if player_id in self.seats:
                raise AlreadyExistsError(ErrorReason.ERROR_REASON_ALREADY_SEATED, table_id=self.seats[player_id][0])
        table_id = self.tables[request.match_id] = str(uuid.uuid4())
        self.requests.append(request)
        self.seats.update(dict.fromkeys(people, (table_id, request.match_id)))
