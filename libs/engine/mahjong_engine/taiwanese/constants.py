"""Values of the Taiwanese rules that may have to change one day (docs/rules/taiwanese.md, section 17)."""

from typing import Final

from mahjong_engine.state import SEATS
from mahjong_engine.tile import Seat

SETS: Final = 5
"""Sets of a normal hand, melds included (T40)."""

LAST_TILE_COVERS_LAST_DISCARD: Final = True
"""A last discard earns `last_tile` too (T55)."""

LAST_TILE_COVERS_REPLACEMENT: Final = False
"""A replacement that emptied the live wall counts as the last live tile (T42)."""

EARLY_WIN_COUNTS: Final = "discard_count"
"""Early wins count the discards of all seats, claimed and winning ones included, and no robbed tile (T25, T55)."""

HEAVENLY_HAND_ALLOWS: Final = frozenset({"flowers", "concealed_kongs"})
"""What may have come before a heavenly hand (T55)."""

HEAVENLY_HAND_IS_SELF_DRAW: Final = True
"""East's dealt tile counts as drawn (T41)."""

ORIGINAL_CALL_WITH_EARTHLY_HAND: Final = True
"""Original Call and earthly hand add up (T59)."""

CONCEALED_STRAIGHT_NEEDS_SELF_DRAWN_CHOWS: Final = True
"""Each of the three chows of a concealed straight is there without a claimed tile; other sets do not matter (T56)."""

EXPOSED_HAND_ON_SELF_DRAW: Final = True
"""Five open melds earn `exposed_hand` on a self-draw too (T55)."""

EXPOSED_HAND_WITH_CONCEALED_KONG: Final = False
"""A concealed kong may be one of the five melds of an exposed hand (T55)."""

HALF_FLUSH_NEEDS_SUIT_TILE: Final = True
"""Honours alone are no half flush (T57)."""

FULL_FLUSH_WITH_NO_HONOURS: Final = True
"""Full flush and the awards for no honours add up (T59)."""

CONCEALED_TRIPLETS_WITH_ALL_PUNGS: Final = True
"""Concealed triplets and all pungs add up (T59)."""

WIND_PATTERNS_WITH_ALL_PUNGS: Final = True
"""Wind patterns and all pungs add up (T59)."""

IMPLIED_AWARDS_ADD: Final = True
"""An award counts even if another one implies it, unless a clause replaces it (T59)."""

SEVEN_PAIRS_WITH_CONCEALED_HAND: Final = True
"""Seven pairs and a triplet earns `concealed_hand` or `concealed_self_draw` too (T58)."""

SEVEN_PAIRS_WITH_HONOUR_TRIPLET: Final = True
"""Seven pairs and a triplet earns `honour_triplet` for its triplet too (T58)."""

ALL_ROBBERS_WIN: Final = True
"""Every seat that answers `win` to one tile wins, a robbed one too (T29, T33)."""

ORIGINAL_CALL_AFTER_KONG: Final = False
"""East may call after it has declared a kong (T37)."""

KONG_BEFORE_EAST_TURN: Final = False
"""Kongs may be declared in the opening (T16)."""

KONG_AFTER_CHOW_OR_PUNG: Final = False
"""A kong may be declared in a turn that began with a chow or pung (T24)."""

WIN_AFTER_CHOW_OR_PUNG: Final = False
"""Complete tiles win in a turn that began with a chow or pung (T24); such a win would need a source in T41."""

PLAY_ON_AFTER_CLAIMED_LAST_DISCARD: Final = True
"""A last discard may be claimed for a chow or pung, and play goes on (T45)."""

ROB_EIGHTH_OFFERS: Final = 1
"""Offers of the eighth flower in a hand: when the eighth in all is shown; a pass is final (T18, T19)."""

FLOWER_OFFER_BEFORE_REPLACEMENT: Final = True
"""The offer comes before the replacement of the flower just shown (T20)."""

FLOWER_WIN_OPEN_AFTER_ORIGINAL_CALL: Final = True
"""A seat that has called may rob the eighth flower (T20, T38)."""

ORIGINAL_CALL_NEEDS_FREE_COPY: Final = True
"""Ready is a seat only with a wait of which it does not have all four copies itself (T36)."""

EAST_DEALT_WINNING_TILE: Final = "last_received"
"""East's drawn tile in its first turn: the last that it received in the opening (T16)."""

TIMEOUT_ORIGINAL_CALL: Final = False
"""At a timeout the server declares an Original Call (T50)."""

TIMEOUT_ROB_FLOWER: Final = True
"""At a timeout the server robs the eighth flower (T50)."""

TIMEOUT_TAKES_WIN: Final = True
"""At a timeout the server takes a win that is available (T50)."""

TIMEOUT_DISCARD_AFTER_CLAIM: Final = -1
"""At a timeout without a drawn tile the server discards the last concealed tile in sort order (T50)."""

OPENING_DECISION_MIN_S: Final = 15
"""Shortest time of a decision before East's first turn, in seconds (T48)."""

SHOWN_AFTER_WIN: Final = SEATS
"""Whose concealed tiles are shown after a win, a flower win included (T66)."""

SHOWN_WITHOUT_WINNER: Final[tuple[Seat, ...]] = ()
"""Whose concealed tiles are shown after a hand without a winner (T66)."""

DISCARD_ORIGIN_SHOWN: Final = False
"""Others are told whether a discard was the drawn tile (T65)."""

EQUAL_SCORES_SHARE_PLACE: Final = True
"""Equal final scores share the better place (T6)."""
