"""Reports for tests."""

import uuid
from collections.abc import Sequence

from google.protobuf.timestamp_pb2 import Timestamp

from mahjongplanet.game.v1 import terms_pb2 as game
from mahjongplanet.rating.v1 import rating_service_pb2 as pb

END_TIME = Timestamp(seconds=1_796_000_000, nanos=250_000_000)


def new_id() -> str:
    return str(uuid.uuid4())


def person(player_id: str, score: int) -> pb.SeatResult:
    return pb.SeatResult(occupant=game.Occupant(player_id=player_id, display_name="Somebody"), score=score)


def computer(score: int) -> pb.SeatResult:
    return pb.SeatResult(
        occupant=game.Occupant(computer=game.COMPUTER_LEVEL_BASIC, display_name="Computer"), score=score
    )


def report(
    seats: Sequence[pb.SeatResult],
    *,
    match_id: str | None = None,
    rule_set: game.RuleSet.ValueType = game.RULE_SET_CLASSICAL,
    table_kind: game.TableKind.ValueType = game.TABLE_KIND_RATED,
    end_s: int = END_TIME.seconds,
) -> pb.ReportMatchRequest:
    return pb.ReportMatchRequest(
        match_id=match_id or new_id(),
        rule_set=rule_set,
        table_kind=table_kind,
        seats=seats,
        end_time=Timestamp(seconds=end_s, nanos=END_TIME.nanos),
    )
