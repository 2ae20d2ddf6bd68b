"""AdminService on the wire."""

from collections.abc import AsyncIterator
from typing import Any

from mahjong_rating import wire
from mahjong_rating.auditor import Auditor
from mahjong_rating.ladder import RULE_SETS
from mahjongplanet.rating.v1 import admin_service_pb2 as pb
from mahjongplanet.rating.v1.admin_service_pb2_grpc import AdminServiceServicer


class AdminServicer(AdminServiceServicer):
    """What operators do with ratings."""

    def __init__(self, auditor: Auditor) -> None:
        self._auditor = auditor

    async def RecomputeRatings(
        self, request: pb.RecomputeRatingsRequest, context: Any
    ) -> AsyncIterator[pb.RecomputeRatingsResponse]:
        rule_sets = [wire.rule_set_of(request.rule_set)] if request.rule_set else RULE_SETS
        async for part in self._auditor.recompute(rule_sets):
            yield wire.part_message(part)
