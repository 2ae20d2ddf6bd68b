"""Finds a table: the one the player sits at already, a practice table, or one by quick play."""

import uuid
from collections.abc import AsyncIterator, Callable

import grpc

from mahjong_cli.play.patience import Patience
from mahjong_cli.play.session import Session
from mahjong_kit.errors import reason_of
from mahjongplanet.game.v1 import terms_pb2 as terms
from mahjongplanet.matchmaker.v1 import matchmaker_service_pb2 as pb
from mahjongplanet.table.v1 import table_service_pb2 as table


class NotSeatedError(Exception):
    """The ticket ended without a seat."""


async def own_table(session: Session) -> str | None:
    """Returns the live table that the player sits at, if there is one."""
    try:
        answer = await session.call(session.tables.GetMyTable, table.GetMyTableRequest())
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
    answer = await session.call(session.matchmaker.StartPractice, request)
    return answer.table_id


async def quick_play(
    session: Session,
    rule_set: terms.RuleSet.ValueType,
    clock: terms.Clock.ValueType,
    *,
    rated: bool,
    show: Callable[[pb.Ticket], None],
) -> str:
    """Queues and returns the table's id once the player is seated.

    Raises:
        NotSeatedError: the ticket was cancelled or expired.
    """
    request = pb.JoinQueueRequest(request_id=str(uuid.uuid4()), rule_set=rule_set, clock=clock, rated=rated)
    ticket = await _join(session, request)
    patience = Patience()
    while ticket.state == pb.TICKET_STATE_QUEUED:
        try:
            async for update in _watch(session, ticket.ticket_id, await session.metadata()):
                patience.renew()
                ticket = update
                show(ticket)
        except grpc.aio.AioRpcError as error:
            await patience.wait_after(error)
    if ticket.state != pb.TICKET_STATE_MATCHED:
        raise NotSeatedError(f"the ticket ended as {pb.TicketState.Name(ticket.state)}")
    return ticket.table_id


async def _join(session: Session, request: pb.JoinQueueRequest) -> pb.Ticket:
    """Returns the new ticket, or the one that the player left in the queue when it went away."""
    try:
        return (await session.call(session.matchmaker.JoinQueue, request)).ticket
    except grpc.aio.AioRpcError as error:
        if reason_of(error) != "ERROR_REASON_TICKET_ALREADY_QUEUED":
            raise
    return (await session.call(session.matchmaker.GetMyTicket, pb.GetMyTicketRequest())).ticket


async def _watch(session: Session, ticket_id: str, metadata: tuple[tuple[str, str], ...]) -> AsyncIterator[pb.Ticket]:
    call = session.matchmaker.WatchTicket(pb.WatchTicketRequest(ticket_id=ticket_id), metadata=metadata)
    try:
        async for update in call:
            yield update.ticket
    finally:
        call.cancel()
