"""Between the messages of mahjongplanet.rating.v1 and the service's own values; requests are checked here."""

from collections.abc import Sequence

from google.protobuf.duration_pb2 import Duration

from mahjong_kit.errors import invalid_field
from mahjong_kit.fields import checked_time, checked_uuid, checked_word, value_of
from mahjong_rating import model
from mahjong_rating.report import Report, SeatScore
from mahjong_rating.standing import Change, Standing
from mahjongplanet.game.v1 import terms_pb2
from mahjongplanet.rating.v1 import rating_service_pb2 as pb

WAIT_MAX_S = 10.0
BATCH_MAX = 100


def report_of(request: pb.ReportMatchRequest) -> Report:
    """Returns the report that a request makes.

    Raises:
        InvalidRequestError: `INVALID_FIELD`.
    """
    match_id = checked_uuid("match_id", request.match_id)
    rule_set = checked_word("rule_set", terms_pb2.RuleSet, request.rule_set)
    table_kind = checked_word("table_kind", terms_pb2.TableKind, request.table_kind)
    if len(request.seats) != 4:
        raise invalid_field("seats", "not four seats")
    seats = tuple(_seat_score(f"seats[{number}]", seat) for number, seat in enumerate(request.seats))
    people = [seat.player_id for seat in seats if seat.player_id is not None]
    if len(set(people)) < len(people):
        raise invalid_field("seats", "a player sits twice")
    end_time = checked_time("end_time", request.end_time if request.HasField("end_time") else None)
    return Report(match_id, rule_set, table_kind, seats, end_time)


def wait_s_of(request: pb.GetMatchRatingRequest) -> float:
    """Returns for how many seconds a caller will wait.

    Raises:
        InvalidRequestError: `INVALID_FIELD`.
    """
    wait: Duration = request.wait_duration
    seconds = wait.seconds + wait.nanos / 1e9
    if not 0 <= seconds <= WAIT_MAX_S:
        raise invalid_field("wait_duration", f"not from 0 to {WAIT_MAX_S:.0f} s")
    return seconds


def batch_of(request: pb.BatchGetRatingsRequest) -> tuple[str, list[str]]:
    """Returns the rule set and the players that a request asks for.

    Raises:
        InvalidRequestError: `INVALID_FIELD`.
    """
    rule_set = checked_word("rule_set", terms_pb2.RuleSet, request.rule_set)
    if not 1 <= len(request.player_ids) <= BATCH_MAX:
        raise invalid_field("player_ids", f"not 1-{BATCH_MAX} players")
    return rule_set, [checked_uuid(f"player_ids[{i}]", player_id) for i, player_id in enumerate(request.player_ids)]


def rating_message(standing: Standing) -> pb.Rating:
    """Returns what players see of a rating."""
    return pb.Rating(
        player_id=standing.player_id,
        shown=model.shown(standing.skill),
        match_count=standing.match_count,
        provisional=model.is_provisional(standing.match_count),
    )


def match_rating_message(outcome: str, changes: Sequence[Change]) -> pb.GetMatchRatingResponse:
    """Returns what players see of what a match did."""
    return pb.GetMatchRatingResponse(
        outcome=value_of(pb.RatingOutcome, outcome),
        changes=[
            pb.RatingChange(
                player_id=change.after.player_id,
                before=rating_message(change.before),
                after=rating_message(change.after),
            )
            for change in changes
        ],
    )


def _seat_score(field: str, seat: pb.SeatResult) -> SeatScore:
    occupant = seat.occupant
    match occupant.WhichOneof("occupant"):
        case "player_id":
            return SeatScore(checked_uuid(f"{field}.occupant.player_id", occupant.player_id), None, seat.score)
        case "computer":
            level = checked_word(f"{field}.occupant.computer", terms_pb2.ComputerLevel, occupant.computer)
            return SeatScore(None, level, seat.score)
        case None:
            raise invalid_field(f"{field}.occupant", "not stated")
