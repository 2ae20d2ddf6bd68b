"""A plain second scorer for Taiwanese cases with one winner, written from docs/rules/taiwanese.md (no engine code).

It works on the JSON values of a case, goes through both shapes, every arrangement and every place of the winning tile,
and lists all itemisations of the highest total.
"""

from collections import Counter
from typing import Any

from tests.unit.engine.plain_tiles import DRAGONS, HONOURS, WINDS, Sets, arrangements, is_pung

Items = Counter[tuple[str, str]]
"""Tai by award; the second part is always empty."""

# "Replaced by": an award of the left column is not given beside one of the right (T55-T57).
REPLACED_BY = {
    "no_flowers": {"no_honours_no_flowers", "all_chows_no_honours_no_flowers"},
    "pair_wait": {"exposed_hand"},
    "win_within_five_discards": {"heavenly_hand", "earthly_hand"},
    "straight": {"concealed_straight"},
    "all_chows": {"all_chows_no_honours_no_flowers"},
    "no_honours": {"no_honours_no_flowers", "all_chows_no_honours_no_flowers"},
    "no_honours_no_flowers": {"all_chows_no_honours_no_flowers"},
}
SELF_DRAWS = {"live_wall", "kong_replacement", "flower_replacement", "dealt"}


def score(case: dict[str, Any]) -> dict[str, Any]:
    """Returns values, changes and the right itemisations of the winner."""
    win = case["win"]
    seat, tile = win["seat"], win["tile"]
    hand = case["seats"][seat]
    tiles = [*hand["concealed"], tile]
    found = [
        _normal(case, sets, pair, place) for sets, pair, place in arrangements(tiles, 5 - len(hand["melds"]), tile)
    ]
    counts = sorted(Counter(tiles).values())
    if len(tiles) == 17 and counts.count(3) == 1 and set(counts) <= {2, 3, 4}:
        found.append(_seven_pairs(case))
    best = max(map(sum, (items.values() for items in found)))
    values, changes = [0] * 4, [0] * 4
    values[seat] = best
    for payer in [other for other in range(4) if other != seat] if win["from_seat"] is None else [win["from_seat"]]:
        changes[payer] -= best
        changes[seat] += best
    return {"values": values, "changes": changes, "items": [i for i in found if sum(i.values()) == best]}


def _all_tiles(case: dict[str, Any]) -> list[str]:
    hand = case["seats"][case["win"]["seat"]]
    return [*hand["concealed"], case["win"]["tile"], *(t for m in hand["melds"] for t in m["tiles"])]


def _common(case: dict[str, Any]) -> Items:
    """T55 without waits, and T57."""
    seat, source = case["win"]["seat"], case["win"]["source"]
    hand = case["seats"][seat]
    east, count = seat == case["dealer"], case["discard_count"]
    flowers = len(hand["bonus"])
    closed = all(m["kind"] == "concealed_kong" for m in hand["melds"])
    drawn = source in SELF_DRAWS
    tiles = _all_tiles(case)
    suits = {t[1] for t in tiles if t not in HONOURS}
    honours = any(t in HONOURS for t in tiles)
    return Counter({
        ("winning", ""): 2,
        ("flowers", ""): flowers,
        ("no_flowers", ""): int(flowers == 0),
        ("concealed_hand", ""): int(closed and not drawn),
        ("concealed_self_draw", ""): 3 if closed and drawn else 0,
        ("self_draw", ""): int(drawn and not closed),
        ("last_tile", ""): int(case["live_tiles_left"] == 0 and source in ("live_wall", "discard")),
        ("robbing_a_kong", ""): int(source == "robbed_promoted_kong"),
        ("win_within_five_discards", ""): 10 if count <= 5 else 0,
        ("win_within_nine_discards", ""): 5 if 6 <= count <= 9 else 0,
        ("original_call", ""): 15 if hand["original_call"] else 0,
        ("heavenly_hand", ""): 40 if east and count == 0 else 0,
        ("earthly_hand", ""): 40 if not east and source == "discard" and count == 1 else 0,
        ("no_honours", ""): int(not honours),
        ("no_honours_no_flowers", ""): 3 if not honours and not flowers else 0,
        ("half_flush", ""): 10 if len(suits) == 1 and honours else 0,
        ("full_flush", ""): 40 if len(suits) == 1 and not honours else 0,
    })  # fmt: skip


def _without_replaced(items: Items) -> Items:
    given = {award for (award, _), tai in items.items() if tai}
    return +Counter({key: tai for key, tai in items.items() if not REPLACED_BY.get(key[0], set()) & given})


def _seven_pairs(case: dict[str, Any]) -> Items:
    items = _common(case)
    items["seven_pairs_and_triplet", ""] = 30
    items["honour_triplet", ""] = sum(n == 3 and tile in HONOURS for tile, n in Counter(_all_tiles(case)).items())
    return _without_replaced(items)


def _normal(case: dict[str, Any], sets: Sets, pair: str, place: int) -> Items:
    """Place is the index of the set that the winning tile completes, or -1 for the pair."""
    hand = case["seats"][case["win"]["seat"]]
    tile = case["win"]["tile"]
    melds = hand["melds"]
    claimed = case["win"]["source"] not in SELF_DRAWS
    items = _common(case)
    concealed_sets = [group for index, group in enumerate(sets) if not (claimed and index == place)]
    laid_triplets = [m["tiles"][0] for m in melds if m["kind"] != "chow"]
    triplets = laid_triplets + [group[0] for group in sets if is_pung(group)]
    concealed_triplets = sum(map(is_pung, concealed_sets)) + sum(m["kind"] == "concealed_kong" for m in melds)
    open_melds = sum(m["kind"] != "concealed_kong" for m in melds)
    if place == -1:
        items["pair_wait", ""] = 1
        items["exposed_hand", ""] = 10 if open_melds == 5 else 0
    elif not is_pung(sets[place]):
        chow = [group[0] for group in sets[place]]
        at = sets[place].index(tile)
        edge = (chow == ["1", "2", "3"] and at == 2) or (chow == ["7", "8", "9"] and at == 0)
        items["edge_or_closed_wait", ""] = int(at == 1 or edge)
    items["exposed_kong", ""] = sum(m["kind"] in ("claimed_kong", "promoted_kong") for m in melds)
    items["concealed_kong", ""] = 2 * sum(m["kind"] == "concealed_kong" for m in melds)
    chows = [group[0] for group in sets if not is_pung(group)] + [m["tiles"][0] for m in melds if m["kind"] == "chow"]
    concealed_chows = [group[0] for group in concealed_sets if not is_pung(group)]
    for suit in "bcd":
        wanted = {f"1{suit}", f"4{suit}", f"7{suit}"}
        items["straight", ""] += 5 if wanted <= set(chows) else 0
        items["concealed_straight", ""] += 10 if wanted <= set(concealed_chows) else 0
    names = {2: "two", 3: "three", 4: "four", 5: "five"}
    if concealed_triplets >= 2:
        items[f"{names[concealed_triplets]}_concealed_triplets", ""] = {2: 2, 3: 5, 4: 15, 5: 40}[concealed_triplets]
    items["all_chows", ""] = 3 if not triplets else 0
    items["all_chows_no_honours_no_flowers", ""] = (
        10 if not triplets and not hand["bonus"] and not any(t in HONOURS for t in _all_tiles(case)) else 0
    )
    items["all_pungs", ""] = 10 if len(triplets) == 5 else 0
    return _without_replaced(items + _honours(triplets, pair))


def _honours(triplets: list[str], pair: str) -> Items:
    winds = sum(tile in WINDS for tile in triplets)
    dragons = sum(tile in DRAGONS for tile in triplets)
    items: Items = Counter()
    if dragons == 3:
        items["big_three_dragons", ""] = 30
    elif dragons == 2 and pair in DRAGONS:
        items["little_three_dragons", ""] = 15
    else:
        items["honour_triplet", ""] += dragons
    if winds == 4:
        items["big_four_winds", ""] = 40
    elif winds == 3:
        items["little_four_winds" if pair in WINDS else "big_three_winds", ""] = 30 if pair in WINDS else 15
    elif winds == 2 and pair in WINDS:
        items["little_three_winds", ""] = 5
    else:
        items["honour_triplet", ""] += winds
    return items
