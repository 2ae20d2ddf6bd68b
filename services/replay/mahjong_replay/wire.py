"""Between the messages of mahjongplanet.replay.v1 and the service's own values; requests are checked here."""

import re
from collections.abc import Iterable, Sequence
from typing import Final

from mahjong_engine.tile import Seat
from mahjong_kit.errors import invalid_field
from mahjong_kit.fields import checked_time, checked_uuid, checked_word, value_of
from mahjong_replay import errors
from mahjong_replay.filters import MatchFilter
from mahjong_replay.record import RecordError, summarize
from mahjong_replay.service import OpenHand
from mahjong_replay.terms import HandSummary, Match, MatchEnd, MatchTerms, Occupant, Standing, WonAward
from mahjong_replay.timeline import Moment, Timeline
from mahjong_replay.verification import Finding
from mahjongplanet.game.v1 import terms_pb2 as game
from mahjongplanet.replay.v1 import replay_service_pb2 as pb

EVENTS_MAX: Final = 1000
"""More than a hand can have."""

_AWARD: Final = re.compile("[a-z][a-z_]{0,47}")
_SEED_SIZE = 80


def terms_of(request: pb.StartMatchRequest | pb.StoreHandRequest | pb.FinishMatchRequest) -> MatchTerms:
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


def filter_of(request: pb.ListMyMatchesRequest | pb.ListPlayerMatchesRequest) -> MatchFilter:
    """Returns which matches a list shall show.

    Raises:
        InvalidRequestError: `INVALID_FIELD`.
    """
    stated = request.filter
    if stated.award and not _AWARD.fullmatch(stated.award):
        raise invalid_field("filter.award", "no award identifier")
    return MatchFilter(
        rule_set=checked_word("filter.rule_set", game.RuleSet, stated.rule_set) if stated.rule_set else None,
        table_kind=checked_word("filter.table_kind", game.TableKind, stated.table_kind) if stated.table_kind else None,
        from_time=checked_time("filter.from_time", stated.from_time) if stated.HasField("from_time") else None,
        until_time=checked_time("filter.until_time", stated.until_time) if stated.HasField("until_time") else None,
        opponent_id=checked_uuid("filter.opponent_id", stated.opponent_id) if stated.opponent_id else None,
        award=stated.award or None,
        won_by_player=stated.won_by_player,
    )


def seat_of(request: pb.ListHandEventsRequest | pb.GetHandStateRequest) -> Seat | None:
    """Returns whose eyes a hand shall be seen by; None if the request leaves it to us.

    Raises:
        InvalidRequestError: `INVALID_FIELD`.
    """
    if not request.HasField("seat"):
        return None
    if not 0 <= request.seat <= 3:
        raise invalid_field("seat", "not 0-3")
    return Seat(request.seat)


def position_of(position: int, timeline: Timeline) -> int:
    """Returns a position that a request states.

    Raises:
        InvalidRequestError: `POSITION_OUT_OF_RANGE`.
    """
    if not 0 <= position < timeline.event_count:
        raise errors.position_out_of_range(position, timeline.event_count)
    return position


def count_of(request: pb.ListHandEventsRequest) -> int:
    """Returns how many events a request asks for, at most.

    Raises:
        InvalidRequestError: `INVALID_FIELD`.
    """
    if not 0 <= request.count <= EVENTS_MAX:
        raise invalid_field("count", f"not 0-{EVENTS_MAX}")
    return request.count or EVENTS_MAX


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
        verification=value_of(pb.Verification, match.verification or "unspecified"),
    )
    if match.end is not None and match.is_over:
        message.standings.extend(game.Standing(seat=s.seat, place=s.place, score=s.score) for s in match.end.standings)
        message.end_time.FromDatetime(match.end.end_time)
    return message


def hand_message(summary: HandSummary, awards: Iterable[WonAward]) -> pb.HandSummary:
    """Returns a hand as the list shows it, with what was won in it among all that was won in its match."""
    return pb.HandSummary(
        hand_number=summary.hand_number,
        dealer=summary.dealer,
        round_wind=summary.round_wind,
        ending=value_of(game.Ending, summary.ending),
        winners=summary.winners,
        changes=summary.changes,
        won_awards=[
            pb.WonAward(seat=won.seat, award=won.award) for won in awards if won.hand_number == summary.hand_number
        ],
    )


def events_message(request: pb.ListHandEventsRequest, hand: OpenHand) -> pb.ListHandEventsResponse:
    """Returns the events of a hand that a request asks for.

    Raises:
        InvalidRequestError: `INVALID_FIELD`, `POSITION_OUT_OF_RANGE`.
    """
    timeline = hand.timeline
    start = position_of(request.position, timeline)
    events = timeline.events(hand.seat, start, start + count_of(request))
    return pb.ListHandEventsResponse(
        events=[
            pb.HandEvent(
                position=position,
                event=event,
                dealt_hands=timeline.dealt_hands(position) if hand.seat is None else (),
            )
            for position, event in enumerate(events, start)
        ],
        event_count=timeline.event_count,
        seat=hand.seat,
    )


def state_message(hand: OpenHand, moment: Moment) -> pb.GetHandStateResponse:
    """Returns the table at a moment of a hand."""
    return pb.GetHandStateResponse(
        hand=moment.hand,
        hands=moment.shown,
        hand_ended=moment.ended,
        event_count=hand.timeline.event_count,
        seat=hand.seat,
    )


def flaw_messages(finding: Finding) -> list[pb.MatchFlaw]:
    """Returns what cannot stand in a match."""
    return [
        pb.MatchFlaw(hand_number=flaw.hand_number, reason=flaw.reason, decision=flaw.decision, message=flaw.message)
        for flaw in finding.flaws
    ]


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
    if occupant.computer is not None:
        level = value_of(game.ComputerLevel, occupant.computer)
        return game.Occupant(computer=level, display_name=occupant.display_name)
    if occupant.player_id is None:
        return game.Occupant(display_name=occupant.display_name)
    return game.Occupant(player_id=occupant.player_id, display_name=occupant.display_name)
