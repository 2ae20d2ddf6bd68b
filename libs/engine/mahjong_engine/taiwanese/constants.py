"""Values of the Taiwanese rules that may have to change one day (docs/rules/taiwanese.md, section 17)."""

from typing import Final

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
