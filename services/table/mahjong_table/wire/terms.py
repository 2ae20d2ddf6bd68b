"""The terms of a match on the wire."""

from mahjong_engine.match import MatchLength
from mahjong_kit.errors import invalid_field
from mahjong_kit.fields import checked_uuid, checked_word
from mahjong_kit.times import duration
from mahjong_table.core.clock import CLOCK_TIMES, Clock
from mahjong_table.core.terms import Level, Occupant, TableKind, Terms
from mahjong_table.wire.words import CLOCKS, LENGTHS, LEVELS, RULE_SETS, TABLE_KINDS
from mahjongplanet.game.v1 import terms_pb2 as game
from mahjongplanet.replay.v1 import replay_service_pb2 as replay
from mahjongplanet.table.v1 import table_service_pb2 as pb

NAME_MAX = 24
_BY_INVITATION = (TableKind.PRACTICE, TableKind.PRIVATE)


def terms_from_proto(request: pb.CreateTableRequest) -> Terms:
    """Returns the terms of a new match.

    Raises:
        InvalidRequestError: `INVALID_FIELD`.
    """
    if len(request.occupants) != 4:
        raise invalid_field("occupants", "not four")
    a, b, c, d = (_occupant(f"occupants[{seat}]", occupant) for seat, occupant in enumerate(request.occupants))
    terms = Terms(
        checked_uuid("match_id", request.match_id),
        checked_word("rule_set", game.RuleSet, request.rule_set),
        Clock(checked_word("clock", game.Clock, request.clock)),
        MatchLength(checked_word("length", game.MatchLength, request.length)),
        TableKind(checked_word("table_kind", game.TableKind, request.table_kind)),
        (a, b, c, d),
    )
    _check_together(terms)
    return terms


def _check_together(terms: Terms) -> None:
    players = [terms.occupants[seat].player_id for seat in terms.people]
    if not players:
        raise invalid_field("occupants", "nobody but computers")
    if len(set(players)) != len(players):
        raise invalid_field("occupants", "somebody twice")
    if terms.clock is Clock.UNTIMED and terms.kind not in _BY_INVITATION:
        raise invalid_field("clock", "untimed at a public table")
    if terms.length is not MatchLength.FULL and terms.kind not in _BY_INVITATION:
        raise invalid_field("length", "not full at a public table")
    if terms.kind is TableKind.PRACTICE and len(players) != 1:
        raise invalid_field("occupants", "several people at a practice table")


def _occupant(field: str, occupant: game.Occupant) -> Occupant:
    name = occupant.display_name
    if not 1 <= len(name) <= NAME_MAX:
        raise invalid_field(f"{field}.display_name", f"not 1 to {NAME_MAX} characters")
    match occupant.WhichOneof("occupant"):
        case "player_id":
            return Occupant(name, player_id=checked_uuid(f"{field}.player_id", occupant.player_id))
        case "computer":
            return Occupant(name, level=Level(checked_word(f"{field}.computer", game.ComputerLevel, occupant.computer)))
    raise invalid_field(f"{field}.occupant", "neither a player nor a computer")


def occupant_to_proto(occupant: Occupant) -> game.Occupant:
    """Returns an occupant as the wire has it."""
    if occupant.level is not None:
        return game.Occupant(computer=LEVELS[occupant.level], display_name=occupant.name)
    return game.Occupant(player_id=occupant.player_id or "", display_name=occupant.name)


def match_terms(terms: Terms) -> replay.MatchTerms:
    """Returns the terms as the replay service is told them."""
    return replay.MatchTerms(
        match_id=terms.match_id,
        rule_set=RULE_SETS[terms.rule_set],
        table_kind=TABLE_KINDS[terms.kind],
        length=LENGTHS[terms.length],
        occupants=map(occupant_to_proto, terms.occupants),
    )


def clock_to_proto(clock: Clock) -> game.ClockTimes:
    """Returns a clock preset with its times."""
    times = CLOCK_TIMES[clock]
    if times is None:
        return game.ClockTimes(clock=CLOCKS[clock])
    return game.ClockTimes(
        clock=CLOCKS[clock],
        base_duration=duration(times.base_ms),
        reserve_duration=duration(times.reserve_ms),
    )
