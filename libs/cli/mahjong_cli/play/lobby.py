"""Finds a table: the one the player sits at already, a practice table, or one by quick play."""

import uuid
from collections.abc import Callable

import grpc

from mahjong_cli.play.session import CALL_TIMEOUT_S, Session
from mahjong_kit.errors import reason_of
from mahjongplanet.game.v1 import terms_pb2 as terms
from mahjongplanet.matchmaker.v1 import matchmaker_service_pb2 as pb
from mahjongplanet.table.v1 import table_service_pb2 as table


class NotSeatedError(Exception):
    """The ticket ended without a seat."""


async def own_table(session: Session) -> str | None:
    """Returns the live table that the player sits at, if there is one."""
    try:
        answer = await session.tables.GetMyTable(
            table.GetMyTableRequest(), timeout=CALL_TIMEOUT_S, metadata=await session.metadata()
        )
    except grpc.aio.AioRpcError as error:
        if reason_of(error) == "ERROR_REASON_TABLE_NOT_FOUND":
            return None
        raise
    return answer.table_id


async def practice(
    session: Session,
    rule_set: terms.RuleSet.ValueType,
    clock: terms.Clock.ValueType,
    length: terms.MatchLength.ValueType,
    computers: list[terms.ComputerLevel.ValueType],
) -> str:
    """Opens a practice table and returns its id."""
    request = pb.StartPracticeRequest(
        request_id=str(uuid.uuid4()), rule_set=rule_set, clock=clock, length=length, computers=computers
    )
    answer = await session.matchmaker.StartPractice(request, timeout=CALL_TIMEOUT_S, metadata=await session.metadata())
    return answer.table_id


async def quick_play(
    session: Session, rule_set: terms.RuleSet.ValueType, *, rated: bool, show: Callable[[pb.Ticket], None]
) -> str:
    """Queues and returns the table's id once the player is seated.

    Raises:
        NotSeatedError: the ticket was cancelled or expired.
    """
    request = pb.JoinQueueRequest(request_id=str(uuid.uuid4()), rule_set=rule_set, rated=rated)
    joined = await session.matchmaker.JoinQueue(request, timeout=CALL_TIMEOUT_S, metadata=await session.metadata())
    ticket = joined.ticket
    watch = session.matchmaker.WatchTicket(
        pb.WatchTicketRequest(ticket_id=ticket.ticket_id), metadata=await session.metadata()
    )
    try:
        async for update in watch:
            ticket = update.ticket
            show(ticket)
            if ticket.state != pb.TICKET_STATE_QUEUED:
                break
    finally:
        watch.cancel()
    if ticket.state != pb.TICKET_STATE_MATCHED:
        raise NotSeatedError(f"the ticket ended as {pb.TicketState.Name(ticket.state)}")
    return ticket.table_id
