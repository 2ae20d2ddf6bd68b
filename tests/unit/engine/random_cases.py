"""Random scoring cases that can come about, as JSON values: every kind of win, with a bias to rare hands."""

import random
from collections import Counter
from typing import Any

from mahjong_engine.tile import CODES

SUITS = ["b", "c", "d"]
HONOURS = list("ESWNRGP")
KINDS = [f"{rank}{suit}" for suit in SUITS for rank in range(1, 10)] + HONOURS
MAJORS = [code for code in KINDS if code in HONOURS or code[0] in "19"]
FLOWERS = list(CODES[34:])
THEMES = [
    KINDS,
    KINDS,
    MAJORS,
    HONOURS,
    [code for code in MAJORS if code not in HONOURS],
    ["2b", "3b", "4b", "6b", "8b", "G"],
    *([code for code in KINDS if code.endswith(suit)] for suit in SUITS),
    *([code for code in KINDS if code.endswith(suit)] + HONOURS for suit in SUITS),
    [f"{rank}c" for rank in range(2, 7)],
]


def random_case(rule_set: str, rng: random.Random) -> dict[str, Any]:
    """Returns a case with one winner that `read_case` accepts."""
    while True:
        case = _try_case(rule_set, rng)
        if case is not None:
            return case


def _try_case(rule_set: str, rng: random.Random) -> dict[str, Any] | None:
    sets = 4 if rule_set == "classical" else 5
    concealed, melds = _winning_tiles(sets, rng)
    used = Counter(concealed)
    for meld in melds:
        used.update(meld["tiles"])
    if max(used.values()) > 4:
        return None
    tile = rng.choice(concealed)
    concealed.remove(tile)
    rest = [code for code in KINDS for _ in range(4 - used[code])]
    rng.shuffle(rest)
    seat, dealer = rng.randrange(4), rng.randrange(4)
    bonus = _bonus(seat, rng)
    is_start = seat == dealer and all(meld["kind"] == "concealed_kong" for meld in melds) and rng.random() < 0.2
    sources = _sources(rule_set, concealed, melds, flowers=bool(bonus[seat]), is_alone=used[tile] == 1)
    if is_start:
        sources = ["kong_replacement"] if melds else ["dealt"]
    source = rng.choice(sources)
    robbed = [tile] * 3 if source.startswith("robbed") else []
    for code in robbed:
        rest.remove(code)
    giver = rng.choice([other for other in range(4) if other != seat]) if robbed or source == "discard" else None
    seats = [_other(sets, rest, rng, may_claim=not is_start) for _ in range(4)]
    seats[seat] = {"concealed": concealed, "melds": melds}
    if source == "robbed_promoted_kong":
        seats[giver] = {"concealed": [], "melds": [{"kind": "pung", "tiles": robbed}]}
    elif source == "robbed_concealed_kong":
        seats[giver] = {"concealed": robbed, "melds": []}
    for other, flowers in zip(seats, bonus, strict=True):
        other |= {"bonus": flowers, "original_call": rng.random() < 0.2}
    ponds = [] if is_start else rest[: rng.choice([0, 3, 8, 40, 60])] + [tile] * (source == "discard")
    claimed = sum(meld["kind"] != "concealed_kong" for other in seats for meld in other["melds"])
    discard_count = len(ponds) + claimed
    if discard_count == 0 and not is_start:
        discard_count = rng.choice([1, 5, 6, 9, 10, 30])
    if discard_count == 1 and source == "discard":
        dealer = giver
    return {
        "rule_set": rule_set,
        "dealer": dealer,
        "round_wind": rng.choice("ESWN"),
        "seats": seats,
        "win": {"seat": seat, "tile": tile, "source": source, "from_seat": giver},
        "live_tiles_left": rng.choice([0, 0, 1, 20, 50]),
        "discards": rng.sample(ponds, len(ponds)),
        "discard_count": discard_count,
        "kongs_in_turn": rng.choice([0, 0, 1, 1, 2]) if source == "kong_replacement" else 0,
        "dealer_wins_before": rng.choice([0, 0, 1, 11, 12, 13]),
    }


def _bonus(winner: int, rng: random.Random) -> list[list[str]]:
    bonus: list[list[str]] = [[], [], [], []]
    for flower in rng.sample(FLOWERS, rng.choice([0, 1, 2, 3, 5, 7])):
        bonus[rng.choice([winner, winner, *range(4)])].append(flower)
    return bonus


def _sources(
    rule_set: str, concealed: list[str], melds: list[dict[str, Any]], *, flowers: bool, is_alone: bool
) -> list[str]:
    """The winning tile is alone if the winner has no other copy, so that it may have been robbed."""
    sources = ["discard", "discard", "live_wall"]
    if any(meld["kind"].endswith("kong") for meld in melds):
        sources += ["kong_replacement"] * 2
    if rule_set == "taiwanese" and flowers:
        sources.append("flower_replacement")
    if is_alone and len(concealed) + 3 * len(melds) > 1:
        sources.append("robbed_promoted_kong")
    if rule_set == "classical" and is_alone and set(concealed) <= set(MAJORS) and len(set(concealed)) >= 12:
        sources += ["robbed_concealed_kong"] * 3
    return sources


def _winning_tiles(sets: int, rng: random.Random) -> tuple[list[str], list[dict[str, Any]]]:
    shape = rng.random()
    if sets == 4 and shape < 0.03:
        return [*MAJORS, rng.choice(MAJORS)], []
    if sets == 4 and shape < 0.05:
        suit = rng.choice(SUITS)
        return [f"{rank}{suit}" for rank in (*"1112345678999", rng.choice("123456789"))], []
    if sets == 5 and shape < 0.03:
        kinds = rng.sample(rng.choice(THEMES[:2] + THEMES[6:12]), 8)
        return [kinds[0], *kinds, *kinds], []
    kinds = rng.choice(THEMES)
    chow_share = rng.choice([0.0, 0.3, 0.7, 1.0])
    meld_share = rng.choice([0.0, 0.0, 0.3, 0.8, 1.0])
    concealed = [rng.choice(kinds)] * 2
    melds = []
    groups = [_set(kinds, chow_share, rng) for _ in range(sets)]
    if rng.random() < 0.1:
        suit = rng.choice(SUITS)
        groups[:3] = [([f"{rank + step}{suit}" for step in range(3)], "chow") for rank in (1, 4, 7)]
    for tiles, kind in groups:
        if kind.endswith("kong") or rng.random() < meld_share:
            melds.append({"kind": kind, "tiles": tiles})
        else:
            concealed += tiles
    return concealed, melds


def _set(kinds: list[str], chow_share: float, rng: random.Random) -> tuple[list[str], str]:
    first = rng.choice(kinds)
    if rng.random() < chow_share and first[0] in "1234567":
        run = [f"{int(first[0]) + step}{first[1]}" for step in range(3)]
        if set(run) <= set(kinds):
            return run, "chow"
    if rng.random() < 0.3:
        return [first] * 4, rng.choice(["claimed_kong", "promoted_kong", "concealed_kong"])
    return [first] * 3, "pung"


def _other(sets: int, rest: list[str], rng: random.Random, *, may_claim: bool) -> dict[str, Any]:
    """Takes the tiles of a seat that does not win out of the rest: some alike, some at random."""
    kinds = rng.choice(THEMES)
    melds = []
    for _ in range(rng.choice([0, 0, 1, 2, 4]) if may_claim else 0):
        tiles, kind = _set(kinds, 0.4, rng)
        if not Counter(tiles) - Counter(rest):
            melds.append({"kind": kind, "tiles": tiles})
            for code in tiles:
                rest.remove(code)
    concealed: list[str] = []
    due = 3 * (sets - len(melds)) + 1
    while len(concealed) < due and rng.random() < 0.8:
        code = rng.choice(kinds)
        alike = min(rng.choice([2, 3, 4]), rest.count(code), due - len(concealed))
        for _ in range(alike):
            rest.remove(code)
        concealed += [code] * alike
    while len(concealed) < due and rest:
        concealed.append(rest.pop())
    return {"concealed": concealed, "melds": melds}
