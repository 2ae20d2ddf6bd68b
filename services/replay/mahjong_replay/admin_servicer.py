"""AdminService on the wire."""

from typing import Any

from mahjong_replay import wire
from mahjong_replay.service import ReplayService
from mahjong_replay.servicer import checked_match_id
from mahjongplanet.replay.v1 import admin_service_pb2 as pb
from mahjongplanet.replay.v1.admin_service_pb2_grpc import AdminServiceServicer


class AdminServicer(AdminServiceServicer):
    """What operators do with stored matches."""

    def __init__(self, replays: ReplayService) -> None:
        self._replays = replays

    async def VerifyStoredMatch(
        self, request: pb.VerifyStoredMatchRequest, context: Any
    ) -> pb.VerifyStoredMatchResponse:
        played, finding = await self._replays.verify_stored_match(checked_match_id(request.match_id))
        return pb.VerifyStoredMatchResponse(hand_count=played.hand_count, flaws=wire.flaw_messages(finding))
