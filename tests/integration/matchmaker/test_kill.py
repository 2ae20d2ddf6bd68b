"""kill -9 of the matchmaker's process loses no ticket and seats nobody twice."""

import asyncio
import uuid
from collections import Counter

import grpc

from mahjongplanet.game.v1.terms_pb2 import RULE_SET_CLASSICAL
from mahjongplanet.matchmaker.v1 import matchmaker_service_pb2 as pb
from mahjongplanet.matchmaker.v1.matchmaker_service_pb2_grpc import MatchmakerServiceStub
from tests.kit.processes import service_process
from tests.kit.serving import patient_stub

PATIENCE_S = 180
"""Longest wait for an answer or a table, through several starts of the process."""


async def started(process):
    return await asyncio.to_thread(process.started)


async def join(address, token):
    """Joins as a client does that gets no answer: with the same request id, until there is one."""
    request = pb.JoinQueueRequest(request_id=str(uuid.uuid4()), rule_set=RULE_SET_CLASSICAL)
    async with asyncio.timeout(PATIENCE_S):
        while True:
            try:
                async with patient_stub(MatchmakerServiceStub, address()) as stub:
                    return (await stub.JoinQueue(request, metadata=token)).ticket.ticket_id
            except grpc.aio.AioRpcError:
                await asyncio.sleep(0.05)


async def matched(address, token, ticket_id):
    """Watches a ticket through restarts until it is matched; returns the table."""
    async with asyncio.timeout(PATIENCE_S):
        while True:
            try:
                async with patient_stub(MatchmakerServiceStub, address()) as stub:
                    async for update in stub.WatchTicket(pb.WatchTicketRequest(ticket_id=ticket_id), metadata=token):
                        assert update.ticket.state in (pb.TICKET_STATE_QUEUED, pb.TICKET_STATE_MATCHED)
                        if update.ticket.state == pb.TICKET_STATE_MATCHED:
                            return update.ticket.table_id
            except grpc.aio.AioRpcError:
                await asyncio.sleep(0.05)


async def test_kill_while_a_table_is_made_leads_to_one_table(fields, hall, issuer):
    hall.open.clear()
    tokens = [issuer.player() for _ in range(4)]
    with service_process("matchmaker", **fields) as process:
        address = await started(process)
        tickets = [await join(lambda: address, token) for token in tokens]
        async with asyncio.timeout(PATIENCE_S):
            while not hall.calls:
                await asyncio.sleep(0.01)
        process.kill()
    hall.open.set()
    with service_process("matchmaker", **fields) as process:
        address = await started(process)
        tables = [await matched(lambda: address, *pair) for pair in zip(tokens, tickets, strict=True)]
    assert set(tables) == set(hall.tables.values())
    assert len(hall.requests) == 1
    assert len(set(hall.calls)) == 1


async def test_kills_at_any_moment_lose_no_ticket_and_seat_nobody_twice(fields, hall, issuer):
    tokens = [issuer.player() for _ in range(80)]
    address = ["127.0.0.1:1"]

    async def play(number, token):
        await asyncio.sleep(number * 0.05)
        ticket_id = await join(lambda: address[0], token)
        return await matched(lambda: address[0], token, ticket_id)

    playing = asyncio.gather(*(play(*pair) for pair in enumerate(tokens)))
    for life_s in (0.3, 0.7, 1.1, None):
        with service_process("matchmaker", **fields) as process:
            address[0] = await started(process)
            if life_s is None:
                tables = await playing
            else:
                await asyncio.sleep(life_s)
                process.kill()
    assert set(Counter(tables).values()) == {4}
    assert set(tables) == set(hall.tables.values())
    assert set(Counter(hall.people()).values()) == {1}
    assert len(hall.people()) == len(tokens)
