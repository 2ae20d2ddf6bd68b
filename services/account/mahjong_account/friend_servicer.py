"""FriendService on the wire."""

from collections.abc import Sequence
from typing import Final

from mahjong_account.friends import Friends
from mahjong_account.pages import Position, position_of, token_of
from mahjong_account.profile import profile_of
from mahjong_account.relation_rows import Kind, Listed
from mahjong_account.wire import profile_message
from mahjong_kit.auth import current_player
from mahjong_kit.errors import invalid_field
from mahjong_kit.fields import checked_uuid
from mahjong_kit.paging import checked_page_size
from mahjong_kit.times import timestamp
from mahjongplanet.account.v1 import friend_service_pb2 as pb
from mahjongplanet.account.v1.friend_service_pb2_grpc import FriendServiceServicer

_PLAYERS_MAX: Final = 1_000
_DIRECTIONS: Final = {
    pb.REQUEST_DIRECTION_RECEIVED: Kind.RECEIVED,
    pb.REQUEST_DIRECTION_SENT: Kind.SENT,
}


class FriendServicer(FriendServiceServicer):
    """Answers players about others, and the matchmaker about blocks."""

    def __init__(self, friends: Friends) -> None:
        self._friends = friends

    async def SendFriendRequest(
        self, request: pb.SendFriendRequestRequest, context: object
    ) -> pb.SendFriendRequestResponse:
        are_friends = await self._friends.ask(*_pair(request.player_id))
        state = pb.FRIEND_STATE_FRIENDS if are_friends else pb.FRIEND_STATE_REQUESTED
        return pb.SendFriendRequestResponse(state=state)

    async def AcceptFriendRequest(
        self, request: pb.AcceptFriendRequestRequest, context: object
    ) -> pb.AcceptFriendRequestResponse:
        return pb.AcceptFriendRequestResponse(friend=_relation(await self._friends.accept(*_pair(request.player_id))))

    async def DeclineFriendRequest(
        self, request: pb.DeclineFriendRequestRequest, context: object
    ) -> pb.DeclineFriendRequestResponse:
        await self._friends.decline(*_pair(request.player_id))
        return pb.DeclineFriendRequestResponse()

    async def RemoveFriend(self, request: pb.RemoveFriendRequest, context: object) -> pb.RemoveFriendResponse:
        await self._friends.remove(*_pair(request.player_id))
        return pb.RemoveFriendResponse()

    async def ListFriends(self, request: pb.ListFriendsRequest, context: object) -> pb.ListFriendsResponse:
        listed, token = await self._page(Kind.FRIEND, request.page_size, request.page_token)
        return pb.ListFriendsResponse(friends=map(_relation, listed), next_page_token=token)

    async def ListFriendRequests(
        self, request: pb.ListFriendRequestsRequest, context: object
    ) -> pb.ListFriendRequestsResponse:
        if request.direction not in _DIRECTIONS:
            raise invalid_field("direction", "not stated" if request.direction == 0 else "not known")
        listed, token = await self._page(_DIRECTIONS[request.direction], request.page_size, request.page_token)
        return pb.ListFriendRequestsResponse(requests=map(_relation, listed), next_page_token=token)

    async def BlockPlayer(self, request: pb.BlockPlayerRequest, context: object) -> pb.BlockPlayerResponse:
        await self._friends.block(*_pair(request.player_id))
        return pb.BlockPlayerResponse()

    async def UnblockPlayer(self, request: pb.UnblockPlayerRequest, context: object) -> pb.UnblockPlayerResponse:
        await self._friends.unblock(*_pair(request.player_id))
        return pb.UnblockPlayerResponse()

    async def ListBlockedPlayers(
        self, request: pb.ListBlockedPlayersRequest, context: object
    ) -> pb.ListBlockedPlayersResponse:
        listed, token = await self._page(Kind.BLOCKED, request.page_size, request.page_token)
        return pb.ListBlockedPlayersResponse(blocked=map(_relation, listed), next_page_token=token)

    async def ListBlockedPairs(
        self, request: pb.ListBlockedPairsRequest, context: object
    ) -> pb.ListBlockedPairsResponse:
        if len(request.player_ids) > _PLAYERS_MAX:
            raise invalid_field("player_ids", f"must be 0-{_PLAYERS_MAX} ids")
        pairs = await self._friends.blocked_pairs(list(set(request.player_ids)))
        return pb.ListBlockedPairsResponse(
            pairs=[pb.BlockedPair(first_player_id=first, second_player_id=second) for first, second in pairs]
        )

    async def _page(self, kind: Kind, page_size: int, page_token: str) -> tuple[Sequence[Listed], str]:
        """Returns a page of the caller's list and the token of the next one."""
        player_id = current_player().player_id
        scope = f"relations/{kind}/{player_id}"
        size, after = checked_page_size(page_size), position_of(page_token, scope) if page_token else None
        listed = await self._friends.page(player_id, kind, after, size + 1)
        if len(listed) <= size:
            return listed, ""
        last = listed[size - 1]
        return listed[:size], token_of(Position(last.create_time_ms, last.other.player_id), scope)


def _pair(other_id: str) -> tuple[str, str]:
    """Returns the caller and the other player.

    Raises:
        InvalidRequestError: `INVALID_FIELD`.
    """
    player_id = current_player().player_id
    if checked_uuid("player_id", other_id) == player_id:
        raise invalid_field("player_id", "is the caller's own")
    return player_id, other_id


def _relation(listed: Listed) -> pb.Relation:
    profile = profile_message(profile_of(listed.other))
    return pb.Relation(profile=profile, create_time=timestamp(listed.create_time_ms))
