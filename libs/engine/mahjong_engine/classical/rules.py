"""The rules of Chinese Classical as the shared machine asks them (docs/rules/classical.md)."""

from typing import Final

from mahjong_engine.action import CONTINUE, WIN, Action, Continue
from mahjong_engine.classical import constants
from mahjong_engine.classical.case import WIN_SOURCES, check_win
from mahjong_engine.classical.layout import KONG_BOX, LIVE_WALL, START_SCORE
from mahjong_engine.classical.orphans import is_thirteen_orphans, orphan_waits
from mahjong_engine.classical.outlook import OUTLOOK
from mahjong_engine.classical.score import settle
from mahjong_engine.dealing import deal_places, dealer_stays_on_win_or_draw
from mahjong_engine.keys import Keys
from mahjong_engine.meld import Meld, MeldKind, has_free_copy
from mahjong_engine.play import Play
from mahjong_engine.rule_set import Rulings, register
from mahjong_engine.settlement import ScoringCase, Settlement, WinClaim, WinSource
from mahjong_engine.shape import is_complete, waits
from mahjong_engine.state import TURN_ORDER, Deal, HandState, Phase
from mahjong_engine.tile import KIND_COUNT, Seat, Tile
from mahjong_engine.turn import answer_turn, concealed_kongs, start_first_turn


class ClassicalRules:
    """Chinese Classical, version 1."""

    name: Final = "classical"
    version: Final = 1
    sets: Final = constants.SETS
    start_score: Final = START_SCORE
    dealt: Final = deal_places(rounds_of_four=3, rounds_of_one=1)
    live_wall: Final = LIVE_WALL
    win_sources: Final = WIN_SOURCES
    outlook: Final = OUTLOOK
    rulings: Final = Rulings(
        every_win_counts=False,
        win_after_claim=constants.WIN_AFTER_CHOW_OR_PUNG,
        kong_after_claim=constants.KONG_AFTER_CHOW_OR_PUNG,
        play_on_after_claimed_last_discard=constants.PLAY_ON_AFTER_CLAIMED_LAST_DISCARD,
        timeout_takes_win=constants.TIMEOUT_TAKES_WIN,
        timeout_discard_after_claim=constants.TIMEOUT_DISCARD_AFTER_CLAIM,
        opening_decision_min_s=constants.OPENING_DECISION_MIN_S,
        shown_after_win=constants.SHOWN_AFTER_WIN,
        shown_without_winner=constants.SHOWN_WITHOUT_WINNER,
    )

    def reserve_tiles_left(self, taken: int) -> int:
        """Returns the tiles left in the kong box, which is never topped up (C10)."""
        return len(KONG_BOX) - taken

    def reserve(self, taken: int) -> range:
        """Returns the wall places of the kong box, next first (C10)."""
        return KONG_BOX[taken:]

    def open_hand(self, play: Play, held: list[list[Tile]]) -> None:
        """Replaces all bonus tiles, then begins the kong round (C12, C13)."""
        dealer = play.deal.dealer
        play.source = WinSource.DEALT
        for seat in (dealer, *TURN_ORDER[dealer][:3]):
            self._replace_dealt_bonus(play, seat, held[seat])
        self._ask_kong_round(play, dealer)

    def _replace_dealt_bonus(self, play: Play, seat: Seat, held: list[Tile]) -> None:
        """Shows a seat's bonus tiles, lowest first, until it holds none (C12)."""
        while held:
            tile = min(held)
            held.remove(tile)
            play.concealed_counts[seat] -= 1
            play.show(seat, tile)
            new = play.draw_live(seat)
            if new >= KIND_COUNT:
                held.append(new)
                play.concealed_counts[seat] += 1
                continue
            play.give(seat, new)
            if seat == play.deal.dealer:
                play.drawn = new

    def _ask_kong_round(self, play: Play, first: Seat) -> None:
        """Asks the next seat, from `first` on to North, that holds four alike; else East begins (C13, C15)."""
        dealer = play.deal.dealer
        for step in range((first - dealer) % 4, 4):
            seat = Seat((dealer + step) % 4)
            if kongs := concealed_kongs(play.keys[seat]):
                may_win = constants.WIN_IN_KONG_ROUND and self.is_complete(play.keys[seat], play.melds[seat])
                play.actor = seat
                play.ask(Phase.KONG_ROUND, seat, (*((WIN,) if may_win else ()), *kongs, CONTINUE))
                return
        start_first_turn(play)

    def answer_own(self, play: Play) -> None:
        """Declares the kong of a stretch, or ends the stretch (C13)."""
        (answer,) = play.close_question()
        if not isinstance(answer.action, Continue):
            answer_turn(play, answer.action)
            return
        following = TURN_ORDER[play.actor][0]
        if following == play.deal.dealer:
            start_first_turn(play)
        else:
            self._ask_kong_round(play, following)

    def default_own(self, phase: Phase) -> Action:  # noqa: ARG002 - the protocol's signature
        """Declares no kong (C47)."""
        return CONTINUE

    def resume_opening(self, play: Play) -> None:
        """Goes on with the stretch of the seat that has its kong's replacement (C13)."""
        self._ask_kong_round(play, play.actor)

    def after_bonus_shown(self, play: Play, seat: Seat) -> bool:  # noqa: ARG002 - the protocol's signature
        """Nothing comes of a bonus tile but its replacement (C17)."""
        return False

    def replace_bonus(self, play: Play, seat: Seat) -> tuple[Tile, WinSource] | None:
        """Takes the next live tile (C9, C17)."""
        if not play.live_tiles_left:
            return None
        return play.draw_live(seat), WinSource.LIVE_WALL

    def replace_kong(self, play: Play, seat: Seat) -> tuple[Tile, WinSource]:
        """Takes the next tile of the kong box (C31); sixteen kongs at most can be made (C10)."""
        assert play.reserve_taken < len(KONG_BOX), "more than sixteen kongs (C10)"
        return play.draw_reserve(seat, KONG_BOX[play.reserve_taken]), WinSource.KONG_REPLACEMENT

    def can_kong(self, hand: HandState | Play) -> bool:
        """An empty live wall forbids no kong (C32)."""
        return constants.KONG_ON_EMPTY_LIVE_WALL or hand.live_tiles_left > 0

    def may_rob(self, play: Play, seat: Seat, kind: MeldKind, keys: Keys) -> bool:
        """Any win robs a promoted kong, thirteen orphans rob a concealed one; in the kong round not East (C14, C28)."""
        if play.is_opening and seat == play.deal.dealer:
            return False
        if kind is MeldKind.CONCEALED_KONG:
            return is_thirteen_orphans(keys)
        return self.is_complete(keys, play.melds[seat])

    def may_call(self, hand: HandState | Play, seat: Seat) -> bool:
        """With the seat's first discard, whatever it has melded (C34)."""
        return not hand.discard_counts[seat] and (constants.ORIGINAL_CALL_ALLOWS_MELDS or not hand.melds[seat])

    def is_complete(self, keys: Keys, melds: tuple[Meld, ...]) -> bool:
        """Four sets and a pair, or thirteen orphans (C37)."""
        return is_complete(keys, constants.SETS - len(melds)) or (not melds and is_thirteen_orphans(keys))

    def is_ready(self, keys: Keys, melds: tuple[Meld, ...]) -> bool:
        """Some kind completes the tiles that the seat does not have four times itself (C34)."""
        if not constants.ORIGINAL_CALL_CHECKS_READY:
            return True
        kinds = waits(keys, constants.SETS - len(melds)) or orphan_waits(keys)
        return has_free_copy(kinds, keys, melds)

    def check_win(self, case: ScoringCase, win: WinClaim) -> None:
        """Refuses a win of a scoring case that cannot have come about."""
        check_win(case, win)

    def settle(self, case: ScoringCase) -> Settlement:
        """Scores all four seats (sections 12 and 13)."""
        return settle(case)

    def next_dealership(self, deal: Deal, winners: tuple[Seat, ...]) -> tuple[int, int]:
        """East deals again after its win or no win; a streak ends nothing (C60)."""
        changes, wins = dealer_stays_on_win_or_draw(deal, winners)
        if constants.DEAL_PASSES_AFTER_STREAK and wins == constants.DEALER_STREAK_WIN:
            return changes + 1, 0
        if constants.DEALER_STREAK_RESET_BY_NO_WINNER and not winners:
            return changes, 0
        return changes, wins


CLASSICAL: Final = ClassicalRules()
register(CLASSICAL)
