"""What a player may do only so often; tries at passwords are in test_registration.py."""

import grpc
import pytest

from mahjong_account.__main__ import open_server
from mahjong_kit.errors import retry_after_s
from mahjong_kit.metrics import ServiceMetrics
from mahjong_kit.server import serving
from mahjongplanet.account.v1 import account_service_pb2 as pb
from mahjongplanet.account.v1 import friend_service_pb2 as friend_pb
from mahjongplanet.account.v1.account_service_pb2_grpc import AccountServiceStub
from tests.contract.account.people import guest
from tests.kit.serving import patient_stub
from tests.kit.wire import refused


async def test_names_are_changed_ten_times_then_once_in_ten_minutes(account, clock, account_port, settings):
    person = await guest(account)

    async def rename(stub, number):
        await stub.SetMyDisplayName(pb.SetMyDisplayNameRequest(display_name=f"Lin {number}"), metadata=person.me)

    for number in range(10):
        await rename(account, number)
    with refused() as refusal:
        await rename(account, 10)
    assert (refusal.code, refusal.reason) == (grpc.StatusCode.RESOURCE_EXHAUSTED, "RATE_LIMITED")
    assert refusal.metadata == {"limit": "rename"}
    assert retry_after_s(refusal.error) == pytest.approx(600, abs=1)
    async with (
        open_server(settings, ServiceMetrics("account"), clock) as built,
        serving(built, settings),
        patient_stub(AccountServiceStub, f"127.0.0.1:{built.port}") as replica,
    ):
        with refused() as refusal:
            await rename(replica, 10)
        assert refusal.reason == "RATE_LIMITED", "replicas count together"
        clock.now += 600
        await rename(replica, 10)


async def test_strangers_are_asked_thirty_times_then_once_in_half_a_minute(account, friends, clock):
    ann, bea = await guest(account, "Ann"), await guest(account, "Bea")
    request = friend_pb.SendFriendRequestRequest(player_id=bea.player_id)
    for _ in range(30):
        await friends.SendFriendRequest(request, metadata=ann.me)
    with refused() as refusal:
        await friends.SendFriendRequest(request, metadata=ann.me)
    assert (refusal.reason, refusal.metadata) == ("RATE_LIMITED", {"limit": "friend_requests"})
    clock.now += 30
    await friends.SendFriendRequest(request, metadata=ann.me)
