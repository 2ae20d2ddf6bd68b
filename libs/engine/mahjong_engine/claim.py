"""Claims on discards and kongs: who is asked, when a block of answers is settled, and for whom (C23-C29, T27-T33)."""

from typing import Final

from mahjong_engine.action import CHOWS, CLAIMED_KONG, PASS, PUNG, WIN, Action, Chow, Kong, Pass, Pung, Win
from mahjong_engine.keys import SUIT, UNIT, Keys, add, count_of
from mahjong_engine.meld import MeldKind
from mahjong_engine.play import Play
from mahjong_engine.state import Answer, Phase
from mahjong_engine.tile import Seat, Tile

_RANK: Final = {Win: 3, Kong: 2, Pung: 2, Chow: 1, Pass: 0}
"""A win beats pung and kong; these beat chow (C25, T29)."""


_CHOWS: Final = tuple(tuple((chow, UNIT[chow.tiles[0]], UNIT[chow.tiles[1]]) for chow in chows) for chows in CHOWS)
"""The chows that a discard can be claimed for, each with the units of its two tiles, by the discarded tile."""


def offer_discard(play: Play, tile: Tile) -> bool:
    """Asks all seats that have a claim on a discard; returns whether there are any (C23, T27)."""
    asked = claimers_of_sets = 0
    rules = play.rules
    can_kong = rules.can_kong(play)
    can_meld = play.live_front < play.live_end or rules.rulings.play_on_after_claimed_last_discard
    for step, seat in enumerate(play.others):
        keys = play.keys[seat]
        claims: tuple[Action, ...] = ()
        if can_meld and not play.original_calls[seat]:
            copies = keys[SUIT[tile]] // UNIT[tile] % 5
            if copies >= 2:
                claims = (CLAIMED_KONG[tile], PUNG) if copies == 3 and can_kong else (PUNG,)
                claimers_of_sets += 1
            if step == 0:
                claims += chows(keys, tile)
        if rules.is_complete(add(keys, tile), play.melds[seat]):
            claims = (WIN, *claims)
        if claims:
            play.ask(Phase.CLAIM, seat, (*claims, PASS))
            asked += 1
    assert claimers_of_sets <= 1, "two seats claim the same tile for a pung (C25, T29)"
    play.offered = tile
    return asked > 0


def chows(keys: Keys, tile: Tile) -> tuple[Chow, ...]:
    """Returns the chows that concealed tiles make with a discard."""
    key = keys[SUIT[tile]]
    return tuple([chow for chow, one, two in _CHOWS[tile] if key // one % 5 and key // two % 5])


def offer_kong(play: Play, kong: Kong) -> bool:
    """Asks all seats that may rob a kong just declared; returns whether there are any (C29, T33)."""
    tile = kong.tile
    asked = False
    for seat in play.others:
        keys = play.keys[seat]
        assert not count_of(keys, tile), "a robbed tile completes a triplet or pair (C29, T33)"
        if play.rules.may_rob(play, seat, kong.kind, add(keys, tile)):
            play.ask(Phase.ROB_KONG, seat, (WIN, PASS))
            asked = True
    play.offered, play.offered_kong = tile, kong.kind
    return asked


def is_settled(play: Play) -> bool:
    """Whether no open answer can change the outcome any more (C24, T28).

    Options are sorted best first, so that the first tells the most that an open answer can claim.
    """
    ranks = [_RANK[type(a.action)] if a else -1 for a in play.answers]
    best = max(ranks)
    won_nearer = False
    for seat in play.others:
        if ranks[seat] == 3:
            won_nearer = True
        elif ranks[seat] < 0 and play.options[seat]:
            top = _RANK[type(play.options[seat][0])]
            if top > best or (top == best == 3 and (play.rules.rulings.every_win_counts or not won_nearer)):
                return False
    return True


def winners(play: Play, answers: list[Answer]) -> tuple[Seat, ...]:
    """Returns the seats whose win counts, of answers in turn order (C25, T29)."""
    seats = tuple(a.seat for a in answers if isinstance(a.action, Win))
    return seats if play.rules.rulings.every_win_counts else seats[:1]


def best_claim(answers: list[Answer]) -> Answer | None:
    """Returns the claim for a meld that counts; None if all have passed."""
    claims = [a for a in answers if not isinstance(a.action, Pass)]
    return max(claims, key=lambda a: _RANK[type(a.action)], default=None)


def meld_kind(action: Action) -> MeldKind:
    """Returns the kind of meld that a claim makes."""
    if isinstance(action, Chow):
        return MeldKind.CHOW
    return MeldKind.CLAIMED_KONG if isinstance(action, Kong) else MeldKind.PUNG
