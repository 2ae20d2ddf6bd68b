"""Scores hands written as the rules pages write them, through the whole way of a scoring case.

`(N N N) (ck 6c) (pk P) [kk 9c] 2b 3b | f1`: open melds in round brackets, a claimed and a promoted kong, a concealed
kong, concealed tiles, bonus tiles. Seat 0 deals, so the winds E S W N sit on seats 0 to 3.
"""

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from mahjong_engine.case import score_case

KONGS = {"ck": "claimed_kong", "pk": "promoted_kong", "kk": "concealed_kong"}
SEATS = {wind: seat for seat, wind in enumerate("ESWN")}
CHANCES = {"discard", "robbed_promoted_kong", "robbed_concealed_kong"}
"""Sources that name the seat after the winner as the giver unless told otherwise."""


@dataclass(frozen=True)
class Scored:
    """The answer to a case."""

    answer: dict[str, Any]
    winner: int

    @property
    def value(self) -> int:
        """The value of the (first) winner."""
        return self.answer["values"][self.winner]

    @property
    def limit(self) -> set[str]:
        """The winner's limit reasons."""
        return set(self.hand()["limit"])

    @property
    def awards(self) -> dict[str, int]:
        """The winner's points, doubles or tai by award."""
        return self.awards_of("ESWN"[self.winner])

    @property
    def changes(self) -> list[int]:
        """The changes of all seats."""
        return self.answer["changes"]

    def value_of(self, wind: str) -> int:
        """The value of a seat."""
        return self.answer["values"][SEATS[wind]]

    def awards_of(self, wind: str) -> dict[str, int]:
        """The points, doubles or tai of a seat by award."""
        sums: Counter[str] = Counter()
        for item in self.hand(SEATS[wind])["items"]:
            sums[item["award"]] += item.get("points", 0) + item.get("doubles", 0) + item.get("tai", 0)
        return dict(sums)

    def hand(self, seat: int | None = None) -> dict[str, Any]:
        """What the answer says of a seat, by default the winner."""
        return next(h for h in self.answer["hands"] if h["seat"] == (self.winner if seat is None else seat))


def seat(text: str, *, call: bool = False) -> dict[str, Any]:
    """Reads the tiles of one seat."""
    tiles, _, bonus = text.partition("|")
    melds = [_meld(found.split()) for found in re.findall(r"[(\[](.*?)[)\]]", tiles)]
    concealed = re.sub(r"[(\[].*?[)\]]", " ", tiles).split()
    return {"concealed": concealed, "melds": melds, "bonus": bonus.split(), "original_call": call}


def _meld(words: list[str]) -> dict[str, Any]:
    if words[0] in KONGS:
        return {"kind": KONGS[words[0]], "tiles": words[1:] * 4}
    return {"kind": "pung" if words[0] == words[1] else "chow", "tiles": words}


def case_of(
    rule_set: str,
    winner: str,
    tile: str | None,
    *,
    source: str = "discard",
    wind: str = "S",
    round_wind: str = "E",
    giver: str | None = None,
    others: Mapping[str, str] | None = None,
    ponds: str = "",
    live: int = 30,
    discards: int = 40,
    kongs: int = 0,
    dealer_wins: int = 0,
    call: bool = False,
) -> dict[str, Any]:
    """Returns a case; a winning discard is put into the ponds, the rest of a robbed kong with its owner."""
    winning = SEATS[wind]
    seats = [seat((others or {}).get(other, "")) for other in "ESWN"]
    seats[winning] = seat(winner, call=call)
    given = SEATS[giver] if giver else (winning + 1) % 4 if source in CHANCES else None
    if source == "robbed_promoted_kong":
        seats[given]["melds"].append({"kind": "pung", "tiles": [tile] * 3})
    if source == "robbed_concealed_kong":
        seats[given]["concealed"] += [tile] * 3
    return {
        "rule_set": rule_set,
        "dealer": 0,
        "round_wind": round_wind,
        "seats": seats,
        "win": {"seat": winning, "tile": tile, "source": source, "from_seat": given},
        "live_tiles_left": live,
        "discards": ponds.split() + ([tile] if source == "discard" else []),
        "discard_count": discards,
        "kongs_in_turn": kongs,
        "dealer_wins_before": dealer_wins,
    }


def classical(winner: str, tile: str, **more: Any) -> Scored:
    """Scores a classical win; the arguments are those of `case_of`."""
    case = case_of("classical", winner, tile, **more)
    return Scored(score_case(case), case["win"]["seat"])


def taiwanese(winner: str, tile: str | None, **more: Any) -> Scored:
    """Scores a Taiwanese win; the arguments are those of `case_of`."""
    case = case_of("taiwanese", winner, tile, **more)
    return Scored(score_case(case), case["win"]["seat"])
