"""Between the messages of mahjongplanet.rating.v1 and the service's own values; requests are checked here."""

from collections.abc import Sequence

from google.protobuf.duration_pb2 import Duration

from mahjong_kit.errors import invalid_field
from mahjong_kit.fields import checked_time, checked_uuid, checked_word, value_of
from mahjong_rating import model
from mahjong_rating.auditor import Summary
from mahjong_rating.board import Placing
from mahjong_rating.history import HistoryEntry
from mahjong_rating.ladder import BoardPage, HistoryPage, PlayerRating
from mahjong_rating.pseudonym import is_pseudonym
from mahjong_rating.recompute import Difference
from mahjong_rating.report import Report, SeatScore
from mahjong_rating.season import Season, season_of
from mahjong_rating.standing import Change, SeasonStanding, Standing
from mahjongplanet.game.v1 import terms_pb2
from mahjongplanet.rating.v1 import admin_service_pb2 as admin_pb
from mahjongplanet.rating.v1 import rating_service_pb2 as pb

WAIT_MAX_S = 10.0
BATCH_MAX = 100
NAME_MAX = 24


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
    names = {s.occupant.player_id: s.occupant.display_name[:NAME_MAX] for s in request.seats if s.occupant.player_id}
    return Report(match_id, rule_set, table_kind, seats, end_time, names)


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


def player_of(player_id: str, caller_id: str) -> str:
    """Returns the player that a request asks for; the caller, if it names none.

    Raises:
        InvalidRequestError: `INVALID_FIELD`.
    """
    return checked_uuid("player_id", player_id) if player_id else caller_id


def rule_set_of(rule_set: terms_pb2.RuleSet.ValueType) -> str:
    """Returns the rule set that a request states.

    Raises:
        InvalidRequestError: `INVALID_FIELD`.
    """
    return checked_word("rule_set", terms_pb2.RuleSet, rule_set)


def season_number_of(season: int) -> int:
    """Returns the number of a season as a request states it, 0 if it leaves it to us.

    Raises:
        InvalidRequestError: `INVALID_FIELD`.
    """
    if season < 0:
        raise invalid_field("season", "negative")
    return season


def rating_message(standing: Standing) -> pb.Rating:
    """Returns what players see of a rating."""
    return _rating(standing.player_id, model.shown(standing.skill), standing.match_count)


def season_rating_message(player_id: str, standing: SeasonStanding | None) -> pb.Rating:
    """Returns what players see of a rating as of some season; None is a player without a rated match."""
    if standing is None:
        return _rating(player_id, model.SHOWN_NEW, 0)
    return _rating(player_id, standing.shown, standing.match_count)


def season_message(season: Season) -> pb.Season:
    """Returns a season."""
    message = pb.Season(number=season.number, name=season.name)
    message.start_time.FromDatetime(season.start_time)
    message.end_time.FromDatetime(season.end_time)
    return message


def player_rating_message(player_id: str, found: PlayerRating) -> pb.GetPlayerRatingResponse:
    """Returns where a player stands in a season."""
    played = found.standing is not None and found.standing.season == found.season.number
    return pb.GetPlayerRatingResponse(
        rating=season_rating_message(player_id, found.standing),
        season=season_message(found.season),
        season_match_count=found.standing.season_match_count if found.standing and played else 0,
        season_best=found.standing.best if found.standing and played else None,
        rank=found.placing.rank if found.placing else None,
        percentile=found.placing.percentile if found.placing else None,
        listed_count=found.listed_count,
    )


def leaderboard_message(page: BoardPage) -> pb.ListLeaderboardResponse:
    """Returns a page of a leaderboard."""
    return pb.ListLeaderboardResponse(
        entries=[_leaderboard_entry(placing, placing.standing) for placing in page.placings if placing.standing],
        next_page_token=page.next_token,
        season=season_message(page.season),
        listed_count=page.listed_count,
    )


def history_message(page: HistoryPage) -> pb.ListRatingHistoryResponse:
    """Returns a page of a history."""
    return pb.ListRatingHistoryResponse(entries=map(_history_entry, page.entries), next_page_token=page.next_token)


def part_message(part: Difference | Summary) -> admin_pb.RecomputeRatingsResponse:
    """Returns a part of what a recomputation tells."""
    if isinstance(part, Summary):
        summary = admin_pb.RecomputeSummary(
            match_count=part.match_count, player_count=part.player_count, difference_count=part.difference_count
        )
        return admin_pb.RecomputeRatingsResponse(summary=summary)
    fields = part._asdict() | {"rule_set": value_of(terms_pb2.RuleSet, part.rule_set)}
    return admin_pb.RecomputeRatingsResponse(difference=admin_pb.RatingDifference(**fields))


def _rating(player_id: str, shown: int, match_count: int) -> pb.Rating:
    return pb.Rating(
        player_id=_shown_id(player_id),
        shown=shown,
        match_count=match_count,
        provisional=model.is_provisional(match_count),
    )


def _shown_id(player_id: str) -> str:
    return "" if is_pseudonym(player_id) else player_id


def _leaderboard_entry(placing: Placing, standing: SeasonStanding) -> pb.LeaderboardEntry:
    return pb.LeaderboardEntry(
        rank=placing.rank,
        rating=season_rating_message(standing.player_id, standing),
        display_name=placing.display_name,
        season_match_count=standing.season_match_count,
        percentile=placing.percentile,
    )


def _history_entry(entry: HistoryEntry) -> pb.RatingHistoryEntry:
    message = pb.RatingHistoryEntry(
        match_id=entry.match_id,
        season=season_of(entry.end_time).number,
        change=_change(entry.change),
        others=map(_change, entry.others),
    )
    message.end_time.FromDatetime(entry.end_time)
    return message


def _change(change: Change) -> pb.RatingChange:
    return pb.RatingChange(
        player_id=_shown_id(change.after.player_id),
        before=rating_message(change.before),
        after=rating_message(change.after),
        place=change.place,
        score=change.score,
    )


def match_rating_message(outcome: str, changes: Sequence[Change]) -> pb.GetMatchRatingResponse:
    """Returns what players see of what a match did."""
    return pb.GetMatchRatingResponse(
        outcome=value_of(pb.RatingOutcome, outcome),
        changes=map(_change, changes),
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
