"""A plain second scorer for classical cases, written from docs/rules/classical.md and sharing nothing with the engine.

It works on the JSON values of a case, goes through every arrangement and every place of the winning tile, and lists all
itemisations of the highest value.
"""

from collections import Counter
from itertools import combinations
from typing import Any

from tests.unit.engine.plain_tiles import (
    DRAGONS,
    HONOURS,
    KINDS,
    MAJORS,
    WINDS,
    arrangements,
    is_pung,
    sets_and_pair,
)

Items = Counter[tuple[str, str]]
"""Points and doubles by award and tiles; no award has both."""

POINT_AWARDS = {
    "winning", "self_draw", "pair_completed", "pair_completed_major", "one_chance", "bonus_tiles", "group", "pair",
}  # fmt: skip


def score(case: dict[str, Any]) -> dict[str, Any]:
    """Returns values, changes, limit reasons and, by seat, the set of right itemisations."""
    win = case["win"]
    values, itemisations, limit = [], [], set()
    for seat in range(4):
        if seat == win["seat"]:
            value, best, limit = _winner(case)
        else:
            items = _non_winner(case, seat)
            value, best = min(_value(items), 1000), [items]
        values.append(value)
        itemisations.append(best)
    return {"values": values, "changes": _changes(values, win["seat"], case["dealer"]), "items": itemisations,
            "limit": limit}  # fmt: skip


def _value(items: Items) -> int:
    points = sum(n for (award, _), n in items.items() if award in POINT_AWARDS)
    return points * 2 ** sum(n for (award, _), n in items.items() if award not in POINT_AWARDS)


def _changes(values: list[int], winner: int, dealer: int) -> list[int]:
    changes = [0] * 4

    def pay(payer: int, payee: int, amount: int) -> None:
        amount *= 2 if dealer in (payer, payee) else 1
        changes[payer] -= amount
        changes[payee] += amount

    others = [seat for seat in range(4) if seat != winner]
    for seat in others:
        pay(seat, winner, values[winner])
    for a, b in combinations(others, 2):
        low, high = sorted((a, b), key=lambda seat: values[seat])
        pay(low, high, values[high] - values[low])
    return changes


def _winds(case: dict[str, Any], seat: int) -> tuple[str, str]:
    return "ESWN"[(seat - case["dealer"]) % 4], case["round_wind"]


def _group_points(tile: str, *, kong: bool, concealed: bool) -> int:
    table = {(False, False): (2, 4), (False, True): (4, 8), (True, False): (8, 16), (True, True): (16, 32)}
    return table[kong, concealed][tile in MAJORS]


def _laid(case: dict[str, Any], seat: int) -> list[tuple[str, int, bool, bool]]:
    """Triplets of the melds: tile, number of tiles, concealed for points, concealed for triplet awards."""
    return [
        (m["tiles"][0], len(m["tiles"]), m["kind"] == "concealed_kong", m["kind"] in ("concealed_kong", "claimed_kong"))
        for m in case["seats"][seat]["melds"]
        if m["kind"] != "chow"
    ]


def _common(case: dict[str, Any], seat: int, triplets: list[tuple[str, int, bool, bool]], pairs: list[str]) -> Items:
    """C52 and C55, but for four winds."""
    own, round_wind = _winds(case, seat)
    bonus = case["seats"][seat]["bonus"]
    items: Items = Counter()
    items["bonus_tiles", ""] = 4 * len(bonus)
    for tile, size, concealed, _ in triplets:
        items["group", tile * size] += _group_points(tile, kong=size == 4, concealed=concealed)
    for tile in pairs:
        items["pair", tile * 2] += 2 * (tile in DRAGONS) + 2 * (tile == own) + 2 * (tile == round_wind)
    tiles = [tile for tile, *_ in triplets]
    dragons = [tile for tile in tiles if tile in DRAGONS]
    winds = [tile for tile in tiles if tile in WINDS]
    if len(dragons) == 3:
        items["big_three_dragons", ""] = 5
    elif len(dragons) == 2 and any(pair in DRAGONS for pair in pairs):
        items["little_three_dragons", ""] = 3
    else:
        items["dragon_group", ""] = len(dragons)
    if len(winds) == 4:
        items["four_winds", ""] = 4
    else:
        items["seat_wind", ""] = int(own in winds)
        items["round_wind", ""] = int(round_wind in winds)
        items["little_four_winds", ""] = int(len(winds) == 3 and any(pair in WINDS for pair in pairs))
    items["three_concealed_triplets", ""] = int(sum(concealed for *_, concealed in triplets) >= 3)
    number = "ESWN".index(own) + 1
    items["own_flower_and_season", ""] = int(f"f{number}" in bonus and f"s{number}" in bonus)
    items["four_flowers", ""] = int({"f1", "f2", "f3", "f4"} <= set(bonus))
    items["four_seasons", ""] = int({"s1", "s2", "s3", "s4"} <= set(bonus))
    return +items


def _non_winner(case: dict[str, Any], seat: int) -> Items:
    counts = Counter(case["seats"][seat]["concealed"])
    triplets = _laid(case, seat) + [(tile, 3, True, True) for tile, n in counts.items() if n >= 3]
    return _common(case, seat, triplets, [tile for tile, n in counts.items() if n == 2])


def _winner(case: dict[str, Any]) -> tuple[int, list[Items], set[str]]:
    seat, tile, source = case["win"]["seat"], case["win"]["tile"], case["win"]["source"]
    hand = case["seats"][seat]
    self_draw = source in ("live_wall", "kong_replacement", "dealt")
    places = list(arrangements([*hand["concealed"], tile], 4 - len(hand["melds"]), tile))
    limit = _limits(case, [sets for sets, _, _ in places], self_draw=self_draw)
    if limit:
        return 1000, [Counter()], limit
    found = [_arranged(case, sets, pair, place, self_draw=self_draw) for sets, pair, place in places]
    best = max(min(_value(items), 1000) for items in found)
    return best, [items for items in found if min(_value(items), 1000) == best], set()


def _arranged(case: dict[str, Any], sets: list[list[str]], pair: str, place: int, *, self_draw: bool) -> Items:
    """Place is the index of the set that the winning tile completes, or -1 for the pair."""
    seat, source = case["win"]["seat"], case["win"]["source"]
    hand = case["seats"][seat]
    own, round_wind = _winds(case, seat)
    empty = case["live_tiles_left"] == 0
    triplets = _laid(case, seat)
    for index, tiles in enumerate(sets):
        if is_pung(tiles):
            concealed = self_draw or index != place
            triplets.append((tiles[0], 3, concealed, concealed))
    items = _common(case, seat, triplets, [pair])
    items["winning", ""] = 10
    items["self_draw", ""] = 2 if self_draw and not (source == "live_wall" and empty) else 0
    items["pair_completed", ""] = 2 if place == -1 else 0
    items["pair_completed_major", ""] = 2 if place == -1 and pair in MAJORS else 0
    items["one_chance", ""] = 2 if _one_chance(case) else 0
    tiles = [t for s in sets for t in s] + [pair] + [t for m in hand["melds"] for t in m["tiles"]]
    suits = {t[1] for t in tiles if t not in HONOURS}
    honours = any(t in HONOURS for t in tiles)
    pair_has_points = pair in DRAGONS or pair in (own, round_wind)
    items["all_chows", ""] = int(not triplets and not pair_has_points)
    items["all_pungs", ""] = int(len(triplets) == 4)
    items["terminals_and_honours", ""] = int(all(t in MAJORS for t in tiles))
    items["one_suit_with_honours", ""] = int(len(suits) == 1 and honours)
    items["pure_suit", ""] = 3 if len(suits) == 1 and not honours else 0
    items["concealed_self_draw", ""] = int(
        self_draw and all(m["kind"] in ("claimed_kong", "concealed_kong") for m in hand["melds"])
    )
    items["last_live_tile", ""] = int(source == "live_wall" and empty)
    items["last_discard", ""] = int(source == "discard" and empty)
    items["kong_replacement", ""] = int(source == "kong_replacement")
    items["robbing_a_kong", ""] = int(source.startswith("robbed"))
    items["original_call", ""] = int(hand["original_call"])
    return +items


def _one_chance(case: dict[str, Any]) -> bool:
    win = case["win"]
    hand = case["seats"][win["seat"]]
    visible = Counter(case["discards"])
    for seat in case["seats"]:
        for meld in seat["melds"]:
            visible.update(meld["tiles"])
    left = [
        kind
        for kind in KINDS
        if any(sets_and_pair([*hand["concealed"], kind], 4 - len(hand["melds"])))
        and (kind == win["tile"] or visible[kind] < 4)
    ]
    return left == [win["tile"]]


def _limits(case: dict[str, Any], arranged: list[list[list[str]]], *, self_draw: bool) -> set[str]:
    win = case["win"]
    seat, tile, source = win["seat"], win["tile"], win["source"]
    hand = case["seats"][seat]
    melds = hand["melds"]
    tiles = [*hand["concealed"], tile] + [t for m in melds for t in m["tiles"]]
    empty = case["live_tiles_left"] == 0
    east = seat == case["dealer"]
    limit = {
        "east_before_first_discard": east and case["discard_count"] == 0,
        "east_first_discard": not east and source == "discard" and case["discard_count"] == 1,
        "one_circles_last_tile": tile == "1d" and empty and source in ("live_wall", "discard"),
        "five_circles_kong_replacement": tile == "5d" and source == "kong_replacement",
        "robbing_two_bamboo": tile == "2b" and source == "robbed_promoted_kong",
        "consecutive_kongs": source == "kong_replacement" and case["kongs_in_turn"] >= 2,
        "thirteenth_dealer_win": east and case["dealer_wins_before"] == 12,
        "thirteen_orphans": not melds and set(tiles) == set(MAJORS),
    }
    if arranged:
        laid = _laid(case, seat)
        standard = [laid + [(s[0], 3, True, True) for s in sets if is_pung(s)] for sets in arranged]
        triplets = [{t for t, *_ in arrangement} for arrangement in standard]
        one_suit = len({t[-1] for t in tiles}) == 1 and tiles[0] not in HONOURS
        gates = sorted(t[0] for t in hand["concealed"]) == list("1112345678999")
        limit |= {
            "all_green": set(tiles) <= {"2b", "3b", "4b", "6b", "8b", "G"},
            "four_kongs": len([m for m in melds if len(m["tiles"]) == 4]) == 4,
            "four_concealed_triplets": self_draw and any(len([1 for *_, c in a if c]) == 4 for a in standard),
            "three_dragons_and_triplet": any(len(t) == 4 and set(DRAGONS) <= t for t in triplets),
            "all_honours": set(tiles) <= set(HONOURS),
            "all_terminals": set(tiles) <= set(MAJORS) - set(HONOURS),
            "four_winds": any(set(WINDS) <= t for t in triplets),
            "nine_gates": not melds and one_suit and gates,
            "concealed_one_suit_self_draw": (
                self_draw and one_suit and all(m["kind"] in ("claimed_kong", "concealed_kong") for m in melds)
            ),
        }
    return {name for name, applies in limit.items() if applies}
