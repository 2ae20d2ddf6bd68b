"""Between the messages of mahjongplanet.replay.v1 and the service's own values; requests are checked here."""

from collections.abc import Sequence

from mahjong_kit.errors import invalid_field
from mahjong_kit.fields import checked_time, checked_uuid, checked_word, value_of
from mahjong_replay import errors
from mahjong_replay.page import PAGE_SIZE_DEFAULT, PAGE_SIZE_MAX
from mahjong_replay.record import RecordError, summarize
from mahjong_replay.terms import HandSummary, Match, MatchEnd, MatchTerms, Occupant, Standing
from mahjongplanet.game.v1 import terms_pb2 as game
from mahjongplanet.replay.v1 import replay_service_pb2 as pb

_SEED_SIZE = 80
_HAND_NUMBER_MAX = (1 << 31) - 1


def terms_of(request: pb.StoreHandRequest | pb.FinishMatchRequest) -> MatchTerms:
    """Returns the terms that a report states.

    Raises:
        InvalidRequestError: `INVALID_FIELD`.
    """
    terms = request.terms
    match_id = checked_uuid("terms.match_id", terms.match_id)
    rule_set = checked_word("terms.rule_set", game.RuleSet, terms.rule_set)
    table_kind = checked_word("terms.table_kind", game.TableKind, terms.table_kind)
    length = checked_word("terms.length", game.MatchLength, terms.length)
    if len(terms.occupants) != 4:
        raise invalid_field("terms.occupants", "not four occupants")
    occupants = tuple(_occupant(f"terms.occupants[{seat}]", occupant) for seat, occupant in enumerate(terms.occupants))
    checked = MatchTerms(match_id, rule_set, table_kind, length, occupants)
    if len(set(checked.player_ids)) < len(checked.player_ids):
        raise invalid_field("terms.occupants", "a player sits twice")
    return checked


def summary_of(request: pb.StoreHandRequest, terms: MatchTerms) -> HandSummary:
    """Returns the summary of the record that a report brings.

    Raises:
        InvalidRequestError: `INVALID_FIELD`.
    """
    if request.hand_number < 0:
        raise invalid_field("hand_number", "negative")
    try:
        return summarize(request.record_json, terms, request.hand_number)
    except RecordError as error:
        raise invalid_field("record_json", str(error)) from error


def end_of(request: pb.FinishMatchRequest) -> MatchEnd:
    """Returns the end of a match that a report states.

    Raises:
        InvalidRequestError: `INVALID_FIELD`.
    """
    if request.hand_count < 0:
        raise invalid_field("hand_count", "negative")
    if len(request.server_seed) != _SEED_SIZE:
        raise invalid_field("server_seed", f"not {_SEED_SIZE} bytes")
    standings = tuple(Standing(s.seat, s.place, s.score) for s in request.standings)
    if standings:
        _check_standings(standings)
    end_time = checked_time("end_time", request.end_time if request.HasField("end_time") else None)
    return MatchEnd(request.hand_count, request.server_seed, standings, end_time)


def page_size_of(request: pb.ListMyMatchesRequest) -> int:
    """Returns how many matches a page shall have.

    Raises:
        InvalidRequestError: `PAGE_SIZE_OUT_OF_RANGE`.
    """
    if not 0 <= request.page_size <= PAGE_SIZE_MAX:
        raise errors.page_size_out_of_range(request.page_size)
    return request.page_size or PAGE_SIZE_DEFAULT


def match_message(match: Match) -> pb.MatchSummary:
    """Returns a match as its players see it: how it ended only when it is over."""
    terms = match.terms
    message = pb.MatchSummary(
        match_id=terms.match_id,
        rule_set=value_of(game.RuleSet, terms.rule_set),
        table_kind=value_of(game.TableKind, terms.table_kind),
        length=value_of(game.MatchLength, terms.length),
        occupants=map(_occupant_message, terms.occupants),
        hand_count=match.hands_stored,
    )
    if match.end is not None and match.is_over:
        message.standings.extend(game.Standing(seat=s.seat, place=s.place, score=s.score) for s in match.end.standings)
        message.end_time.FromDatetime(match.end.end_time)
    return message


def hand_message(summary: HandSummary) -> pb.HandSummary:
    """Returns a hand as the list shows it."""
    return pb.HandSummary(
        hand_number=summary.hand_number,
        dealer=summary.dealer,
        round_wind=summary.round_wind,
        ending=value_of(game.Ending, summary.ending),
        winners=summary.winners,
        changes=summary.changes,
    )


def _check_standings(standings: Sequence[Standing]) -> None:
    if sorted(standing.seat for standing in standings) != [0, 1, 2, 3]:
        raise invalid_field("standings", "not each seat once")
    for index, standing in enumerate(standings):
        better = sum(other.score > standing.score for other in standings)
        if standing.place != 1 + better:
            raise invalid_field(f"standings[{index}].place", "not the place of the score")
    if [standing.place for standing in standings] != sorted(standing.place for standing in standings):
        raise invalid_field("standings", "not best first")


def _occupant(field: str, occupant: game.Occupant) -> Occupant:
    match occupant.WhichOneof("occupant"):
        case "player_id":
            return Occupant(checked_uuid(f"{field}.player_id", occupant.player_id), None, occupant.display_name)
        case "computer":
            level = checked_word(f"{field}.computer", game.ComputerLevel, occupant.computer)
            return Occupant(None, level, occupant.display_name)
        case None:
            raise invalid_field(field, "not stated")


def _occupant_message(occupant: Occupant) -> game.Occupant:
    if occupant.player_id is not None:
        return game.Occupant(player_id=occupant.player_id, display_name=occupant.display_name)
    assert occupant.computer is not None
    level = value_of(game.ComputerLevel, occupant.computer)
    return game.Occupant(computer=level, display_name=occupant.display_name)
