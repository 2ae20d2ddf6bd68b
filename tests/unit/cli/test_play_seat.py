"""What `mahjong play` has begun to send gets there, also when the table has gone on meanwhile."""

import asyncio

from mahjong_cli.play.seat import play_seat
from mahjongplanet.game.v1 import terms_pb2 as terms
from mahjongplanet.table.v1 import event_pb2 as pb
from mahjongplanet.table.v1 import table_service_pb2 as service

PASS = terms.Action(kind=terms.ACTION_KIND_PASS)
DECISION = pb.Decision(decision_id="one", options=[PASS])


class Stream:
    """A stream of a table that asks for an answer, and goes on without it once it is under way."""

    def __init__(self, answering: asyncio.Event) -> None:
        self._answering = answering

    async def __aiter__(self):
        table = pb.TableSnapshot(phase=pb.TABLE_PHASE_HAND, decision=DECISION)
        yield service.WatchTableResponse(epoch=1, sequence=1, snapshot=table)
        await self._answering.wait()
        for sequence, event in enumerate(
            [
                pb.TableEvent(decision_closed=pb.DecisionClosed(decision_id="one", action=PASS)),
                pb.TableEvent(match_ended=pb.MatchEnded()),
            ],
            2,
        ):
            yield service.WatchTableResponse(epoch=1, sequence=sequence, event=event)

    def cancel(self):
        """Has nothing to end."""


class Tables:
    """A table that takes its time to acknowledge an answer."""

    def __init__(self) -> None:
        self.answering, self.over = asyncio.Event(), asyncio.Event()
        self.acknowledged = []

    def WatchTable(self, request, metadata):
        return Stream(self.answering)

    async def SubmitAction(self, request):
        self.answering.set()
        await self.over.wait()
        self.acknowledged.append(request.decision_id)


class Player:
    """A session before that table."""

    def __init__(self) -> None:
        self.tables = Tables()

    async def metadata(self):
        return ()

    async def call(self, method, request):
        return await method(request)


class Passes:
    """Passes at once."""

    async def choose(self, table):
        return PASS


async def test_an_answer_under_way_is_sent_to_its_end_when_the_table_goes_on():
    player = Player()

    def show(mirror, message):
        if mirror.table.phase == pb.TABLE_PHASE_OVER:
            asyncio.get_running_loop().call_soon(player.tables.over.set)

    async with asyncio.timeout(60):
        await play_seat(player, "table", Passes(), show)
    assert player.tables.acknowledged == ["one"]
