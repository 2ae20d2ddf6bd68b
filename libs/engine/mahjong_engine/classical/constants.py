"""Values of the classical rules that may have to change one day (docs/rules/classical.md, section 16)."""

from typing import Final

SETS: Final = 4
"""Sets of a standard hand, melds included (C37)."""

LIMIT: Final = 1_000
"""The highest value, and the value of every limit hand (C48)."""

CAP_HOLDS_FOR_NON_WINNERS: Final = True
"""The limit caps the values of non-winners too (C48)."""

ARRANGEMENT_CHOICE: Final = max
"""Of all arrangements of a winner's tiles the one of the highest value counts (C49)."""

SELF_DRAW_POINTS_ON_KONG_REPLACEMENT: Final = 2
"""Self-draw points of a kong replacement, which never is the last live tile (C53)."""

ONE_CHANCE_COUNTS_CONCEALED_KONGS: Final = True
"""The tiles of concealed kongs are visible (C54)."""

ONE_CHANCE_OWN_CONCEALED_STRIKE_OUT: Final = False
"""Four copies among the winner's own concealed tiles strike out their kind (C54)."""

ONE_CHANCE_JUDGED_AT: Final = "win"
"""Ponds and melds count as they lie at the moment of the win, with the winning discard (C54)."""

LAST_DISCARD_IS_ANY_ON_EMPTY_WALL: Final = True
"""Every discard made while the live wall is empty is a last discard, not only the first (C39)."""

LAST_LIVE_TILE_COVERS_KONG_REPLACEMENT: Final = False
"""A kong replacement with an empty live wall counts as the last live tile (C39)."""

WAYS_OF_WINNING_EXCLUSIVE: Final = True
"""Last live tile, last discard, kong replacement and robbing exclude one another (C57)."""

NINE_GATES_NEEDS_NINE_WAITS: Final = True
"""The thirteen tiles before the winning tile are exactly the nine gates (C58)."""

ALL_GREEN_NEEDS_DRAGON: Final = False
"""An all-green hand needs green dragons (C58)."""

CONSECUTIVE_KONGS_MIN: Final = 2
"""Kongs in a row from which a kong replacement is a limit hand (C58)."""

DEALER_STREAK_WIN: Final = 13
"""The one win of a dealership that is a limit hand (C58)."""

WIN_IN_KONG_ROUND: Final = False
"""A seat may win in its own stretch of the kong round (C13)."""

KONG_ON_EMPTY_LIVE_WALL: Final = True
"""An empty live wall forbids no kong of any kind (C32)."""

ORIGINAL_CALL_ALLOWS_MELDS: Final = True
"""Melds and kongs made before do not hinder an Original Call (C34)."""

ORIGINAL_CALL_CHECKS_READY: Final = True
"""An Original Call needs a ready hand: one kind not wholly in the own tiles completes it (C34)."""
