"""Between rows of the tables and the service's own values."""

from collections.abc import Iterable, Mapping
from typing import Any

import sqlalchemy as sa

from mahjong_replay.codec import PACKING, pack
from mahjong_replay.terms import HandSummary, Match, MatchEnd, MatchTerms, Occupant, Standing, WonAward


def occupants_of(terms: MatchTerms) -> list[list[str | None]]:
    """Returns the occupants as a match's row has them."""
    return [[seat.player_id, seat.computer, seat.display_name] for seat in terms.occupants]


def match_row(terms: MatchTerms) -> dict[str, Any]:
    """Returns the row of a match of which nothing is stored yet."""
    return {
        "match_id": terms.match_id,
        "rule_set": terms.rule_set,
        "table_kind": terms.table_kind,
        "length": terms.length,
        "occupants": occupants_of(terms),
        "hands_stored": 0,
    }


def end_values(end: MatchEnd) -> dict[str, Any]:
    """Returns what the end of a match writes into its row."""
    return {
        "hand_count": end.hand_count,
        "server_seed": end.server_seed,
        "standings": [[standing.seat, standing.place, standing.score] for standing in end.standings],
        "end_time": end.end_time,
    }


def hand_row(match_id: str, summary: HandSummary, record_json: bytes) -> dict[str, Any]:
    """Returns the row of a hand."""
    return {
        "match_id": match_id,
        "hand_number": summary.hand_number,
        "dealer": summary.dealer,
        "round_wind": summary.round_wind,
        "ending": summary.ending,
        "winners": list(summary.winners),
        "changes": list(summary.changes),
        "packing": PACKING,
        "record": pack(record_json),
    }


def award_rows(terms: MatchTerms, awards: Iterable[WonAward]) -> list[dict[str, Any]]:
    """Returns the rows of what was won in a match."""
    return [
        {
            "match_id": terms.match_id,
            "award": won.award,
            "hand_number": won.hand_number,
            "seat": won.seat,
            "player_id": terms.occupants[won.seat].player_id,
        }
        for won in awards
    ]


def match_of(row: sa.RowMapping) -> Match:
    """Returns the match of a row."""
    occupants = tuple(Occupant(*occupant) for occupant in row["occupants"])
    terms = MatchTerms(row["match_id"], row["rule_set"], row["table_kind"], row["length"], occupants)
    return Match(terms, row["hands_stored"], _end_of(row), row["verification"])


def summary_of(row: Mapping[Any, Any]) -> HandSummary:
    """Returns the summary of a hand's row."""
    return HandSummary(
        row["hand_number"],
        row["dealer"],
        row["round_wind"],
        row["ending"],
        tuple(row["winners"]),
        tuple(row["changes"]),
    )


def _end_of(row: sa.RowMapping) -> MatchEnd | None:
    if row["hand_count"] is None:
        return None
    standings = tuple(Standing(*standing) for standing in row["standings"])
    return MatchEnd(row["hand_count"], bytes(row["server_seed"]), standings, row["end_time"])
