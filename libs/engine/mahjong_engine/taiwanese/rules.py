"""The rules of Taiwanese 16-tile mahjong as the shared machine asks them (docs/rules/taiwanese.md)."""

from typing import Final

from mahjong_engine.action import CALL_ORIGINAL, DECLINE_ORIGINAL, PASS, ROB_FLOWER, Action
from mahjong_engine.dealing import deal_places, dealer_stays_on_win_or_draw
from mahjong_engine.keys import Keys
from mahjong_engine.meld import Meld, MeldKind, has_free_copy
from mahjong_engine.play import Play
from mahjong_engine.rule_set import Rulings, register
from mahjong_engine.settlement import ScoringCase, Settlement, WinClaim, WinSource
from mahjong_engine.shape import is_complete, waits
from mahjong_engine.state import Deal, HandState, Phase
from mahjong_engine.taiwanese import constants, opening
from mahjong_engine.taiwanese.case import WIN_SOURCES, check_win
from mahjong_engine.taiwanese.flowers import answer_flower_offer, ends_or_asks, take_replacement
from mahjong_engine.taiwanese.layout import DEAD_WALL_SIZE, LIVE_WALL, REPLACEMENTS, START_SCORE
from mahjong_engine.taiwanese.outlook import OUTLOOK
from mahjong_engine.taiwanese.pairs import is_seven_pairs_and_triplet, pairs_waits
from mahjong_engine.taiwanese.score import settle
from mahjong_engine.tile import Seat, Tile


class TaiwaneseRules:
    """Taiwanese 16-tile mahjong, version 1."""

    name: Final = "taiwanese"
    version: Final = 1
    sets: Final = constants.SETS
    start_score: Final = START_SCORE
    dealt: Final = deal_places(rounds_of_four=4, rounds_of_one=0)
    live_wall: Final = LIVE_WALL
    win_sources: Final = WIN_SOURCES
    outlook: Final = OUTLOOK
    rulings: Final = Rulings(
        every_win_counts=constants.ALL_ROBBERS_WIN,
        win_after_claim=constants.WIN_AFTER_CHOW_OR_PUNG,
        kong_after_claim=constants.KONG_AFTER_CHOW_OR_PUNG,
        play_on_after_claimed_last_discard=constants.PLAY_ON_AFTER_CLAIMED_LAST_DISCARD,
        timeout_takes_win=constants.TIMEOUT_TAKES_WIN,
        timeout_discard_after_claim=constants.TIMEOUT_DISCARD_AFTER_CLAIM,
        opening_decision_min_s=constants.OPENING_DECISION_MIN_S,
        shown_after_win=constants.SHOWN_AFTER_WIN,
        shown_without_winner=constants.SHOWN_WITHOUT_WINNER,
    )

    def reserve_tiles_left(self, taken: int) -> int:  # noqa: ARG002 - the protocol's signature
        """The dead wall always has sixteen tiles (T11)."""
        return DEAD_WALL_SIZE

    def reserve(self, taken: int) -> tuple[int, ...]:
        """Returns the wall places of the dead wall, next first (T11)."""
        return REPLACEMENTS[taken : taken + DEAD_WALL_SIZE]

    def open_hand(self, play: Play, held: list[list[Tile]]) -> None:
        """Plays the flower passes, then asks for Original Calls (T14, T15)."""
        play.source = WinSource.DEALT
        opening.pass_flowers(play, held)

    def answer_own(self, play: Play) -> None:
        """Goes on after the Original Calls, or after the offer of the eighth flower in any part of the hand."""
        if play.phase is Phase.ROB_FLOWER:
            answer_flower_offer(play)
        else:
            opening.answer_original_calls(play)

    def default_own(self, phase: Phase) -> Action:
        """Robs the eighth flower, and declares no Original Call (T50)."""
        if phase is Phase.ROB_FLOWER:
            return ROB_FLOWER if constants.TIMEOUT_ROB_FLOWER else PASS
        return CALL_ORIGINAL if constants.TIMEOUT_ORIGINAL_CALL else DECLINE_ORIGINAL

    def resume_opening(self, play: Play) -> None:
        """Goes on after the replacement of the eighth flower: all flowers are shown, so that the passes are over."""
        opening.ask_original_calls(play)

    def after_bonus_shown(self, play: Play, seat: Seat) -> bool:
        """Ends the hand with eight flowers, or offers the eighth to a seat with seven (T18)."""
        return ends_or_asks(play, seat)

    def replace_bonus(self, play: Play, seat: Seat) -> tuple[Tile, WinSource] | None:
        """Takes the front tile of the dead wall, if a live tile is left to top it up (T11, T12).

        In the opening, after the offer of the eighth flower, it is East's dealt tile (T16, T41).
        """
        if not play.live_tiles_left:
            return None
        source = WinSource.DEALT if play.is_opening else WinSource.FLOWER_REPLACEMENT
        return take_replacement(play, seat), source

    def replace_kong(self, play: Play, seat: Seat) -> tuple[Tile, WinSource]:
        """Takes the front tile of the dead wall; a kong is legal only while there is one (T12)."""
        assert play.live_tiles_left, "a kong on an empty live wall (T12)"
        return take_replacement(play, seat), WinSource.KONG_REPLACEMENT

    def can_kong(self, hand: HandState | Play) -> bool:
        """With at least one live tile (T12, T35)."""
        return hand.live_tiles_left > 0

    def may_rob(self, play: Play, seat: Seat, kind: MeldKind, keys: Keys) -> bool:
        """Any win robs a promoted kong; nothing robs a concealed one (T32)."""
        return kind is MeldKind.PROMOTED_KONG and self.is_complete(keys, play.melds[seat])

    def may_call(self, hand: HandState | Play, seat: Seat) -> bool:
        """East with its first discard, if it has declared no kong; the others call in the opening (T37)."""
        if hand.discard_counts[seat] or seat != hand.deal.dealer:
            return False
        return constants.ORIGINAL_CALL_AFTER_KONG or not hand.melds[seat]

    def is_complete(self, keys: Keys, melds: tuple[Meld, ...]) -> bool:
        """Five sets and a pair, or seven pairs and a triplet (T40)."""
        return is_complete(keys, constants.SETS - len(melds)) or (not melds and is_seven_pairs_and_triplet(keys))

    def is_ready(self, keys: Keys, melds: tuple[Meld, ...]) -> bool:
        """Some kind completes the tiles that the seat does not have four times itself (T36)."""
        kinds = waits(keys, constants.SETS - len(melds)) or (() if melds else pairs_waits(keys))
        return has_free_copy(kinds, keys, melds) if constants.ORIGINAL_CALL_NEEDS_FREE_COPY else bool(kinds)

    def check_win(self, case: ScoringCase, win: WinClaim) -> None:
        """Refuses a win of a scoring case that cannot have come about."""
        check_win(case, win)

    def settle(self, case: ScoringCase) -> Settlement:
        """Scores the winners (sections 13 and 14)."""
        return settle(case)

    def next_dealership(self, deal: Deal, winners: tuple[Seat, ...]) -> tuple[int, int]:
        """East deals again after its win, as one of several too, or no win (T62)."""
        return dealer_stays_on_win_or_draw(deal, winners)


TAIWANESE: Final = TaiwaneseRules()
register(TAIWANESE)
