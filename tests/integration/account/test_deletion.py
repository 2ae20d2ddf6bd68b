"""A deleted account, and what real replay and rating services then say of the player; replay was away meanwhile."""

from contextlib import ExitStack, contextmanager

import pytest

from mahjong_cli.serve.supervisor import free_ports
from mahjongplanet.account.v1 import account_service_pb2 as account_pb
from mahjongplanet.account.v1.account_service_pb2_grpc import AccountServiceStub
from mahjongplanet.game.v1 import terms_pb2 as game
from mahjongplanet.rating.v1 import rating_service_pb2 as rating_pb
from mahjongplanet.rating.v1.rating_service_pb2_grpc import RatingServiceStub
from mahjongplanet.replay.v1 import replay_service_pb2 as replay_pb
from mahjongplanet.replay.v1.replay_service_pb2_grpc import ReplayServiceStub
from tests.contract.rating.reports import computer, person, report
from tests.contract.replay.reported import reported
from tests.kit.processes import service_process
from tests.kit.serving import patient_stub
from tests.kit.tokens import SERVICE_KEY, bearer

NAMES = ("account", "replay", "rating")


class Platform:
    """The three services, each on a port and a database that stay the same over restarts."""

    def __init__(self, directory):
        self.addresses = {name: f"127.0.0.1:{port}" for name, port in zip(NAMES, free_ports(len(NAMES)), strict=True)}
        self._directory = directory

    @contextmanager
    def running(self, name, **settings):
        others = {f"{other}_address": address for other, address in self.addresses.items() if other != name}
        own = {
            "service_key": SERVICE_KEY,
            "database_dsn": f"sqlite:///{self._directory}/{name}.db",
            "port": self.addresses[name].rpartition(":")[2],
        }
        with service_process(name, **others, **own, **settings) as process:
            process.started()
            yield process
            assert process.stop() == 0

    def stub(self, name, stub):
        return patient_stub(stub, self.addresses[name])


@pytest.fixture
def platform(tmp_path):
    return Platform(tmp_path)


async def test_deleted_player_is_nameless_in_replays_and_ratings_though_replay_was_away(platform, issuer):
    with ExitStack() as stack:
        account_process = stack.enter_context(platform.running("account", farewell_period_s=0.2))
        stack.enter_context(platform.running("rating"))
        async with platform.stub("account", AccountServiceStub) as account:
            guests = [await account.CreateGuest(account_pb.CreateGuestRequest(display_name=name)) for name in "AB"]
            (gone, left), (me, other) = (
                [guest.profile.player_id for guest in guests],
                [bearer(guest.session.access_token) for guest in guests],
            )
            match = reported([gone, left])
            with platform.running("replay"):
                async with platform.stub("replay", ReplayServiceStub) as replay:
                    await match.store_all(replay, issuer)
            async with platform.stub("rating", RatingServiceStub) as rating:
                rated = report([person(gone, 30), person(left, 20), computer(10), computer(0)])
                await rating.ReportMatch(rated, metadata=issuer.service("table"))

                await account.DeleteMyAccount(account_pb.DeleteMyAccountRequest(), metadata=me)
                first = account_process.wait_for("farewell.sent")
                assert (first["player_id"], first["to"]) == (gone, "rating")
                asked = rating_pb.BatchGetRatingsRequest(rule_set=game.RULE_SET_CLASSICAL, player_ids=[gone, left])
                shown = (await rating.BatchGetRatings(asked, metadata=other)).ratings
                assert [one.player_id for one in shown] == [left]
            with platform.running("replay"):
                assert account_process.wait_for("farewell.sent")["to"] == "replay"
                async with platform.stub("replay", ReplayServiceStub) as replay:
                    request = replay_pb.GetMatchRequest(match_id=match.match_id)
                    occupants = (await replay.GetMatch(request, metadata=other)).match.occupants
    assert [one.display_name for one in occupants[:2]] == ["Deleted player", "Person 1"]
