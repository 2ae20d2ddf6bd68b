"""GatewayService: what a front-end needs to know before anybody signs in."""

from collections.abc import Callable
from datetime import UTC, datetime
from importlib import metadata
from typing import Final

from google.protobuf.duration_pb2 import Duration
from google.protobuf.timestamp_pb2 import Timestamp

from mahjong_gateway.forwarder import Answer
from mahjong_kit.fields import stated_values
from mahjongplanet.game.v1.terms_pb2 import Clock, ClockTimes, ComputerLevel, RuleSet
from mahjongplanet.gateway.v1 import gateway_service_pb2 as pb

GET_SERVER_INFO: Final = "/mahjongplanet.gateway.v1.GatewayService/GetServerInfo"
_CLOCKS_S: Final = {
    Clock.CLOCK_BULLET: (2, 5),
    Clock.CLOCK_BLITZ: (3, 10),
    Clock.CLOCK_STANDARD: (5, 20),
    Clock.CLOCK_RELAXED: (15, 60),
}
"""Base and reserve of each preset (C44, T47)."""


def own_answers(computer_fill_s: float, clock: Callable[[], float]) -> dict[str, Answer]:
    """Returns the gateway's own methods by path.

    Args:
        computer_fill_s: after how long the matchmaker fills seats with computers.
        clock: seconds since the epoch.
    """
    fixed = pb.GetServerInfoResponse(
        version=metadata.version("mahjong-gateway"),
        rule_sets=stated_values(RuleSet),
        clocks=[*map(_clock_times, _CLOCKS_S), ClockTimes(clock=Clock.CLOCK_UNTIMED)],
        computer_levels=stated_values(ComputerLevel),
    )
    fixed.computer_fill_duration.FromMilliseconds(round(computer_fill_s * 1000))

    async def get_server_info(_: bytes) -> bytes:
        now = Timestamp()
        now.FromDatetime(datetime.fromtimestamp(clock(), UTC))
        return pb.GetServerInfoResponse(server_time=now).SerializeToString() + fixed.SerializeToString()

    return {GET_SERVER_INFO: get_server_info}


def _clock_times(clock: Clock.ValueType) -> ClockTimes:
    base_s, reserve_s = _CLOCKS_S[clock]
    return ClockTimes(clock=clock, base_duration=Duration(seconds=base_s), reserve_duration=Duration(seconds=reserve_s))
