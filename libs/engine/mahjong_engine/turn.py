"""Turns: draws, kongs and discards (C16-C22, C28-C33; T21-T26, T32-T35), the same in every rule set."""

from mahjong_engine.action import (
    CONCEALED_KONG,
    DISCARD,
    DISCARD_AND_CALL,
    PROMOTED_KONG,
    WIN,
    Action,
    Chow,
    Discard,
    Kong,
    Win,
)
from mahjong_engine.claim import best_claim, meld_kind, offer_discard, offer_kong, winners
from mahjong_engine.end import end_with_wins, end_without_winner
from mahjong_engine.event import DISCARDED, TURN_STARTED, Claimed, Discarded, KongDeclared, KongRobbed, TurnStarted
from mahjong_engine.keys import Keys, count_of, kinds_of, remove
from mahjong_engine.meld import Meld, MeldKind
from mahjong_engine.play import Play
from mahjong_engine.settlement import WinClaim, WinSource
from mahjong_engine.state import Answer, Phase
from mahjong_engine.tile import KIND_COUNT, Seat, Tile


def start_turn(play: Play, seat: Seat) -> None:
    """Begins a turn with an ordinary draw; without a live tile the hand ends (C22, T26)."""
    play.offered = None
    if not play.live_tiles_left:
        end_without_winner(play)
        return
    play.actor = seat
    play.events.append(TURN_STARTED[seat])
    receive(play, seat, play.draw_live(seat), WinSource.LIVE_WALL)


def receive(play: Play, seat: Seat, tile: Tile, source: WinSource) -> None:
    """Gives a seat a tile it took, bonus tiles shown and replaced first, and asks what it does (C17, T17)."""
    while tile >= KIND_COUNT:
        play.show(seat, tile)
        if play.rules.after_bonus_shown(play, seat):
            return
        replacement = play.rules.replace_bonus(play, seat)
        if replacement is None:
            end_without_winner(play)
            return
        tile, source = replacement
    keep(play, seat, tile, source)


def keep(play: Play, seat: Seat, tile: Tile, source: WinSource) -> None:
    """Adds the tile that stays to the hand and goes on with the turn, or with the opening."""
    play.give(seat, tile)
    if not play.is_opening:
        play.drawn, play.source = tile, source
        ask_turn(play)
        return
    if seat == play.deal.dealer:
        play.drawn, play.source = tile, source
    play.rules.resume_opening(play)


def start_first_turn(play: Play) -> None:
    """Begins East's first turn, which has its drawn tile from the opening (C15, T16)."""
    play.is_opening = False
    play.actor = play.deal.dealer
    play.events.append(TurnStarted(play.actor, play.drawn))
    ask_turn(play)


def ask_turn(play: Play) -> None:
    """Asks the seat in turn; after a chow or pung it may only discard (C19, C20, C35; T23, T24, T38)."""
    seat, rules, drawn = play.actor, play.rules, play.drawn
    keys, melds, rulings = play.keys[seat], play.melds[seat], play.rules.rulings
    options: tuple[Action, ...]
    if play.original_calls[seat] and drawn is not None:
        options = (DISCARD[drawn],)
    else:
        options, kongs = _discards_and_kongs(keys, melds)
        if rules.may_call(play, seat):
            options += _calling_discards(play, seat)
        if kongs and (drawn is not None or rulings.kong_after_claim) and rules.can_kong(play):
            options = kongs + options
    if (drawn is not None or rulings.win_after_claim) and rules.is_complete(keys, melds):
        options = (WIN, *options)
    play.ask(Phase.TURN if drawn is not None else Phase.TURN_AFTER_CLAIM, seat, options)


def _discards_and_kongs(keys: Keys, melds: tuple[Meld, ...]) -> tuple[tuple[Action, ...], tuple[Action, ...]]:
    """Returns the plain discards of a hand, and the kongs that its tiles and melds would make."""
    bamboo, characters, circles, honours = keys
    one, one_kongs = _BAMBOO[bamboo]
    two, two_kongs = _CHARACTERS[characters]
    three, three_kongs = _CIRCLES[circles]
    four, four_kongs = _HONOURS[honours]
    kongs: tuple[Action, ...] = one_kongs + two_kongs + three_kongs + four_kongs
    for meld in melds:
        if meld.kind is MeldKind.PUNG and count_of(keys, meld.tile):
            kongs = (*kongs, PROMOTED_KONG[meld.tile])
    return one + two + three + four, kongs


def _calling_discards(play: Play, seat: Seat) -> tuple[Action, ...]:
    """Returns the discards that leave a seat ready, as Original Calls (C34, T37)."""
    keys, melds, is_ready = play.keys[seat], play.melds[seat], play.rules.is_ready
    return tuple(DISCARD_AND_CALL[tile] for tile in kinds_of(keys) if is_ready(remove(keys, tile), melds))


def concealed_kongs(keys: Keys) -> tuple[Action, ...]:
    """Returns the concealed kongs of four alike."""
    return _discards_and_kongs(keys, ())[1]


class _SuitActions(dict[int, tuple[tuple[Discard, ...], tuple[Kong, ...]]]):
    """The discards and the concealed kongs that a key of one suit allows, filled on first sight up to a limit."""

    def __init__(self, first: int) -> None:
        self._first = first

    def __missing__(self, key: int) -> tuple[tuple[Discard, ...], tuple[Kong, ...]]:
        if len(self) >= 1 << 14:
            self.clear()
        counts = [(self._first + rank, key // 5**rank % 5) for rank in range(9)]
        kongs = tuple(CONCEALED_KONG[tile] for tile, count in counts if count == 4)
        actions = self[key] = tuple(DISCARD[tile] for tile, count in counts if count), kongs
        return actions


_BAMBOO, _CHARACTERS, _CIRCLES, _HONOURS = map(_SuitActions, (0, 9, 18, 27))


def answer_turn(play: Play, action: Action) -> None:
    """Does what the seat in turn has answered."""
    if isinstance(action, Discard):
        discard(play, action)
    elif isinstance(action, Kong):
        declare_kong(play, action)
    elif isinstance(action, Win):
        assert play.source is not None
        end_with_wins(play, (WinClaim(play.actor, play.drawn, play.source),))


def discard(play: Play, action: Discard) -> None:
    """Moves a tile from the hand to the pond and asks who claims it (C21, T25)."""
    seat, tile = play.actor, action.tile
    play.take(seat, tile)
    play.ponds[seat] += (tile,)
    play.discard_counts[seat] += 1
    play.kongs_in_row = [0, 0, 0, 0]
    play.drawn = play.source = None
    if action.original_call:
        play.original_calls[seat] = True
        play.events.append(Discarded(seat, tile, original_call=True))
    else:
        play.events.append(DISCARDED[seat][tile])
    if not offer_discard(play, tile):
        start_turn(play, play.others[0])


def declare_kong(play: Play, action: Kong) -> None:
    """Lays out a concealed or promoted kong and asks who robs it (C29, T33)."""
    seat, tile = play.actor, action.tile
    if action.kind is MeldKind.CONCEALED_KONG:
        play.take(seat, tile, 4)
        play.melds[seat] += (Meld(MeldKind.CONCEALED_KONG, tile),)
    else:
        play.take(seat, tile)
        replace_meld(play, seat, tile, MeldKind.PUNG, MeldKind.PROMOTED_KONG)
    play.kongs_in_row[seat] += 1
    if not play.is_opening:
        play.drawn = play.source = None
    play.events.append(KongDeclared(seat, action.kind, tile))
    if not offer_kong(play, action):
        replace_kong(play)


def replace_meld(play: Play, seat: Seat, tile: Tile, old: MeldKind, new: MeldKind) -> None:
    """Changes the kind of a meld in its place: a pung that is promoted, or that a promoted kong falls back to."""
    play.melds[seat] = tuple(
        Meld(new, tile, meld.claimed, meld.from_seat) if meld.kind is old and meld.tile == tile else meld
        for meld in play.melds[seat]
    )


def replace_kong(play: Play) -> None:
    """Takes the replacement of the actor's kong (C31, T11)."""
    play.offered = play.offered_kong = None
    tile, source = play.rules.replace_kong(play, play.actor)
    receive(play, play.actor, tile, source)


def answer_claims(play: Play, answers: list[Answer]) -> None:
    """Gives a discard to whom it belongs after all answers: winners, the best claim, or nobody (C25, T29)."""
    if seats := winners(play, answers):
        tile, owner = play.offered, play.actor
        end_with_wins(play, tuple(WinClaim(seat, tile, WinSource.DISCARD, owner) for seat in seats))
    elif best := best_claim(answers):
        take_claim(play, best.seat, best.action)
    else:
        start_turn(play, play.others[0])


def take_claim(play: Play, seat: Seat, action: Action) -> None:
    """Makes a meld of the last discard and starts the claimer's turn (C26, T30)."""
    tile, owner = play.offered, play.actor
    assert tile is not None
    kind = meld_kind(action)
    used = action.tiles if isinstance(action, Chow) else (tile,) * (3 if kind is MeldKind.CLAIMED_KONG else 2)
    for own in used:
        play.take(seat, own)
    meld = Meld(kind, min(tile, used[0]), tile, owner)
    play.ponds[owner] = play.ponds[owner][:-1]
    play.melds[seat] += (meld,)
    play.actor = seat
    play.offered = None
    play.events += (Claimed(seat, meld), TURN_STARTED[seat])
    if kind is MeldKind.CLAIMED_KONG:
        play.kongs_in_row[seat] += 1
        replace_kong(play)
    else:
        ask_turn(play)


def answer_robbery(play: Play, answers: list[Answer]) -> None:
    """Ends the hand if the kong is robbed, else takes its replacement (C29, C30; T33, T34)."""
    seats = winners(play, answers)
    if not seats:
        replace_kong(play)
        return
    owner, tile = play.actor, play.offered
    assert tile is not None
    if play.offered_kong is MeldKind.PROMOTED_KONG:
        replace_meld(play, owner, tile, MeldKind.PROMOTED_KONG, MeldKind.PUNG)
        source = WinSource.ROBBED_PROMOTED_KONG
    else:
        play.melds[owner] = tuple(m for m in play.melds[owner] if m != Meld(MeldKind.CONCEALED_KONG, tile))
        for _ in range(3):
            play.give(owner, tile)
        source = WinSource.ROBBED_CONCEALED_KONG
    play.events.append(KongRobbed(owner, tile))
    end_with_wins(play, tuple(WinClaim(seat, tile, source, owner) for seat in seats))
