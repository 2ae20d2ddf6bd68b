"""Players, the gateway, the matchmaker and the table service as processes: queueing, playing, crashes in between."""

import asyncio
import uuid
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from mahjong_cli.serve.supervisor import free_ports
from mahjong_kit.client import streaming
from mahjongplanet.account.v1.account_service_pb2 import CreateGuestRequest
from mahjongplanet.account.v1.account_service_pb2_grpc import AccountServiceStub
from mahjongplanet.game.v1 import terms_pb2 as terms
from mahjongplanet.matchmaker.v1 import matchmaker_service_pb2 as matchmaker_pb
from mahjongplanet.matchmaker.v1.matchmaker_service_pb2_grpc import MatchmakerServiceStub
from mahjongplanet.table.v1 import table_service_pb2 as table_pb
from mahjongplanet.table.v1.table_service_pb2_grpc import TableServiceStub
from tests.integration.gateway.player import Player
from tests.kit.processes import ServiceProcess, service_process
from tests.kit.serving import patient_stub
from tests.kit.tokens import SERVICE_KEY
from tests.kit.wire import refused

PATIENCE_S = 80
PACE = {
    "nonce_window_ms": 0,
    "floor_min_ms": 0,
    "floor_max_ms": 0,
    "computer_min_ms": 1,
    "computer_max_ms": 3,
    "result_window_ms": 0,
}


class Platform:
    """The processes that a match needs, on ports that stay the same over restarts."""

    def __init__(self, stack: ExitStack, account_address: str, redis_url: str, directory: Path) -> None:
        self._stack = stack
        table, gateway, matchmaker, rating, replay = free_ports(5)
        shared = {"service_key": SERVICE_KEY, "account_address": account_address, "redis_url": redis_url}
        addresses = {
            "table_address": f"127.0.0.1:{table}",
            "matchmaker_address": f"127.0.0.1:{matchmaker}",
            "rating_address": f"127.0.0.1:{rating}",
            "replay_address": f"127.0.0.1:{replay}",
        }
        database = {"database_dsn": f"sqlite:///{directory / 'table.db'}"}
        self._settings: dict[str, dict[str, Any]] = {
            "table": {**shared, **addresses, **database, **PACE, "port": table},
            "matchmaker": {**shared, **addresses, "port": matchmaker, "computer_fill_s": 600, "check_period_s": 0.1},
            "gateway": {**shared, **addresses, "port": gateway, "http_port": 0, "web_root": directory / "none"},
        }
        self._processes: dict[str, ServiceProcess] = {}
        self.address = f"127.0.0.1:{gateway}"

    async def start(self, *services: str) -> None:
        """Starts services and waits until they serve."""
        for service in services:
            process = service_process(service, **self._settings[service])
            self._processes[service] = self._stack.enter_context(process)
        for service in services:
            await asyncio.to_thread(self._processes[service].started)

    def change(self, service: str, **fields: Any) -> None:
        """Changes settings of a service that is started later."""
        self._settings[service] |= fields

    def kill(self, service: str) -> None:
        """Ends a service as a crash does."""
        self._processes[service].kill()

    def stub(self, stub: Any) -> Any:
        """Opens a stub of a service behind the gateway."""
        return patient_stub(stub, self.address)

    async def guest(self, name: str) -> str:
        """Signs a guest in; returns the access token."""
        async with self.stub(AccountServiceStub) as account:
            return str((await account.CreateGuest(CreateGuestRequest(display_name=name))).session.access_token)


@pytest.fixture
def platform(account_address: str, redis_url: str, tmp_path: Path) -> Iterator[Platform]:
    with ExitStack() as stack:
        yield Platform(stack, account_address, redis_url, tmp_path)


def bearer(token):
    return (("authorization", f"Bearer {token}"),)


async def practice(platform, token, rule_set):
    """Opens a practice table of one hand; returns its id."""
    wish = matchmaker_pb.StartPracticeRequest(
        request_id=str(uuid.uuid4()),
        rule_set=rule_set,
        clock=terms.CLOCK_RELAXED,
        length=terms.MATCH_LENGTH_ONE_HAND,
        computers=[terms.COMPUTER_LEVEL_BASIC] * 3,
    )
    async with platform.stub(MatchmakerServiceStub) as matchmaker:
        return (await matchmaker.StartPractice(wish, metadata=bearer(token))).table_id


async def queue(platform, token, *, rated=False):
    """Queues a player and waits for the table; returns its id."""
    request = matchmaker_pb.JoinQueueRequest(
        request_id=str(uuid.uuid4()), rule_set=terms.RULE_SET_CLASSICAL, rated=rated
    )
    async with platform.stub(MatchmakerServiceStub) as matchmaker:
        ticket = (await matchmaker.JoinQueue(request, metadata=bearer(token))).ticket
        watched = matchmaker_pb.WatchTicketRequest(ticket_id=ticket.ticket_id)
        async for update in matchmaker.WatchTicket(watched, metadata=bearer(token), timeout=PATIENCE_S):
            last = update.ticket
    assert last.state == matchmaker_pb.TICKET_STATE_MATCHED
    return last.table_id


@pytest.mark.parametrize("rule_set", [terms.RULE_SET_CLASSICAL, terms.RULE_SET_TAIWANESE])
async def test_practice_hand_is_played_to_its_end_through_the_gateway(platform, rule_set):
    await platform.start("table", "matchmaker", "gateway")
    token = await platform.guest("Ann")
    player = Player(platform.address, token, await practice(platform, token, rule_set))
    async with asyncio.timeout(PATIENCE_S):
        await player.play()
    assert player.answered
    assert player.streams == 1
    assert len(player.ended.standings) == 4


async def test_hand_goes_on_through_crashes_of_gateway_and_table(platform):
    await platform.start("table", "matchmaker", "gateway")
    token = await platform.guest("Ann")
    player = Player(platform.address, token, await practice(platform, token, terms.RULE_SET_CLASSICAL))
    playing = asyncio.create_task(player.play())
    async with asyncio.timeout(3 * PATIENCE_S):
        for service in ("gateway", "table", "gateway"):
            answers = len(player.answered)
            while len(player.answered) < answers + 2 and not playing.done():
                await asyncio.sleep(0.005)
            platform.kill(service)
            await platform.start(service)
        await playing
    assert len(player.ended.standings) == 4
    assert player.streams > 1
    closed = {event.decision_closed.decision_id: event.decision_closed for event in player.events}
    for decision_id, action in player.answered.items():
        if decision_id in closed:
            assert closed[decision_id].action == action, "an acknowledged answer was lost"
            assert not closed[decision_id].timed_out


async def test_four_guests_get_one_table_and_each_sees_the_own_seat(platform):
    await platform.start("table", "matchmaker", "gateway")
    tokens = [await platform.guest(name) for name in ("Ann", "Bea", "Cat", "Dan")]
    tables = await asyncio.gather(*(queue(platform, token) for token in tokens))
    assert len(set(tables)) == 1
    views = [await first_view(platform, token, tables[0]) for token in tokens]
    assert {view.seat for view in views} == {0, 1, 2, 3}
    names = ["Ann", "Bea", "Cat", "Dan"]
    assert [view.occupants[view.seat].display_name for view in views] == names
    stranger = await platform.guest("Eve")
    with refused() as refusal:
        await first_view(platform, stranger, tables[0])
    assert refusal.reason == "NOT_SEATED"
    with refused() as refusal:
        await queue(platform, tokens[0])
    assert (refusal.reason, refusal.metadata) == ("ALREADY_SEATED", {"table_id": tables[0]})


async def first_view(platform, token, table_id):
    """Returns the first snapshot of a table."""
    async with platform.stub(TableServiceStub) as table:
        call = table.WatchTable(
            table_pb.WatchTableRequest(table_id=table_id), metadata=bearer(token), timeout=PATIENCE_S
        )
        async with streaming(call):
            return (await call.read()).snapshot


async def test_player_who_does_not_come_to_a_rated_table_is_played_by_a_computer_and_cools_down(platform):
    platform.change("table", arrival_window_ms=15_000)
    await platform.start("table", "matchmaker", "gateway")
    tokens = [await platform.guest(name) for name in ("Ann", "Bea", "Cat", "Dan")]
    tables = await asyncio.gather(*(queue(platform, token, rated=True) for token in tokens))
    async with asyncio.timeout(PATIENCE_S), platform.stub(TableServiceStub) as table, asyncio.TaskGroup() as group:

        async def stand_ins(token, wanted):
            """Watches the table until computers stand in for so many; returns the own seat and theirs."""
            call = table.WatchTable(table_pb.WatchTableRequest(table_id=tables[0]), metadata=bearer(token))
            async with streaming(call):
                own = (await call.read()).snapshot.seat
                while True:
                    status = (await call.read()).status
                    if len(status.stand_in_seats) == wanted:
                        return own, list(status.stand_in_seats)

        watching = [group.create_task(stand_ins(token, 1)) for token in tokens[:3]]
    seen = [task.result() for task in watching]
    missing = {0, 1, 2, 3} - {own for own, _ in seen}
    assert [stood_in for _, stood_in in seen] == [[seat] for seat in missing] * 3
    async with asyncio.timeout(PATIENCE_S), platform.stub(MatchmakerServiceStub) as matchmaker:

        async def cools_down(token):
            pools = await matchmaker.ListPools(matchmaker_pb.ListPoolsRequest(), metadata=bearer(token))
            return pools.HasField("cool_down_end_time")

        while not await cools_down(tokens[3]):
            await asyncio.sleep(0.05)
        assert [await cools_down(token) for token in tokens[:3]] == [False] * 3
