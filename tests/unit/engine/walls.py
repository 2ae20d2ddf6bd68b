"""Walls on which rare things happen: hands of sets, waits on robbed tiles, flowers in one hand, thirteen orphans."""

from collections import Counter

from mahjong_engine.tile import MAJORS, SORTED_SET


def rare_wall(rules, chance):
    """Returns a wall with hands that are near to something: complete, ready, full of kongs, full of flowers."""
    left = Counter(SORTED_SET)
    hands = [_hand(len(places), left, chance) for places in rules.dealt]
    rest = list(left.elements())
    chance.shuffle(rest)
    if chance.random() < 0.5:
        rest.sort(key=lambda tile: chance.random() + (tile < 34) * chance.choice((0, 0.7)))
    wall = [None] * 144
    for places, hand in zip(rules.dealt, hands, strict=True):
        chance.shuffle(hand)
        for place in places:
            wall[place] = hand.pop() if hand else rest.pop()
    return tuple(tile if tile is not None else rest.pop() for tile in wall)


def _hand(size, left, chance):
    hand = []
    kind = chance.random()
    if kind < 0.15:
        _take(hand, left, [tile for tile in MAJORS if left[tile]])
    elif kind < 0.3:
        bonus = [tile for tile in range(34, 42) if left[tile]]
        _take(hand, left, chance.sample(bonus, k=min(7, len(bonus))))
    elif kind < 0.4:
        for tile in chance.sample(range(34), size // 2):
            _take(hand, left, [tile] * min(2, left[tile]))
    low = chance.choice((0, 0, 9, 18, 25))
    for _ in range(60):
        group = _group(chance, low)
        if len(hand) + len(group) <= size and all(left[t] >= n for t, n in Counter(group).items()):
            _take(hand, left, group)
    return hand


def _group(chance, low):
    """Returns a chow, triplet, kong or pair; half of the time of one part of the tiles."""
    tile = low + chance.randrange(9) if chance.random() < 0.5 else chance.randrange(34)
    kind = chance.random()
    if kind < 0.35 and tile < 27:
        first = tile // 9 * 9 + min(tile % 9, 6)
        return [first, first + 1, first + 2]
    return [tile] * (3 if kind < 0.7 else 4 if kind < 0.85 else 2)


def _take(hand, left, tiles):
    hand += tiles
    left.subtract(tiles)
