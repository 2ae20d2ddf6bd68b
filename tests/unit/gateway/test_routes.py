"""Which methods the gateway offers."""

from mahjong_gateway.routes import GATEWAY, read_routes, service_names
from mahjong_gateway.server_info import own_answers

ROUTES = read_routes()
HIDDEN = {
    "MatchmakerService/ReportNoShows",
    "AccountAdminService/RotateKey",
    "FriendService/ListBlockedPairs",
    "TableService/CreateTable",
    "TableService/GetPlayerTable",
    "RatingService/ReportMatch",
    "ReplayService/StoreHand",
    "ReplayService/FinishMatch",
}


def test_methods_of_players_and_of_anybody_are_offered_and_no_others():
    offered = {route.rpc for route in ROUTES.values()}
    assert offered >= {
        "AccountService/CreateGuest",
        "MatchmakerService/WatchTicket",
        "FriendService/SendFriendRequest",
        "RoomService/JoinRoom",
        "TableService/SubmitAction",
        "RatingService/BatchGetRatings",
        "ReplayService/GetHandRecord",
        "GatewayService/GetServerInfo",
    }
    assert not offered & HIDDEN


def test_routes_know_their_service_and_kind():
    watch = ROUTES["/mahjongplanet.table.v1.TableService/WatchTable"]
    assert (watch.service, watch.is_stream, watch.needs_player) == ("table", True, True)
    assert watch.request.DESCRIPTOR.full_name == "mahjongplanet.table.v1.WatchTableRequest"
    guest = ROUTES["/mahjongplanet.account.v1.AccountService/CreateGuest"]
    assert (guest.service, guest.is_stream, guest.needs_player, guest.is_repeatable) == ("account", False, False, False)
    assert ROUTES["/mahjongplanet.table.v1.TableService/SubmitAction"].is_repeatable


def test_gateway_answers_each_of_its_own_methods():
    own = {path for path, route in ROUTES.items() if route.service == GATEWAY}
    assert own == set(own_answers(15.0, lambda: 0.0))


def test_every_service_is_named_once():
    names = service_names(ROUTES)
    assert len(names) == len(set(names)) == 9
