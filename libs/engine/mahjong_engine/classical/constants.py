"""Values of the classical rules that may have to change one day (docs/rules/classical.md, section 16)."""

from typing import Final

from mahjong_engine.state import SEATS
from mahjong_engine.tile import Seat

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

BONUS_REPLACED_AT_ONCE: Final = True
"""A bonus tile is shown and replaced as soon as it is received, never kept (C12, C17)."""

OPENING_BONUS_TILES_BEFORE_KONGS: Final = True
"""All seats show their bonus tiles before the one kong round begins (C12, C13)."""

PLAY_ON_AFTER_CLAIMED_LAST_DISCARD: Final = True
"""A last discard may be claimed for a meld, and play goes on (C42)."""

WIN_AFTER_CHOW_OR_PUNG: Final = False
"""Complete tiles win in a turn that began with a chow or pung (C20); such a win would need a source in C38."""

KONG_AFTER_CHOW_OR_PUNG: Final = False
"""A kong may be declared in a turn that began with a chow or pung (C20)."""

KONGS_IN_A_ROW_ENDED_BY: Final = "discard"
"""The event that ends a row of kongs: a discard of any seat (C33)."""

DEALER_STREAK_RESET_BY_NO_WINNER: Final = False
"""A hand without a winner sets the dealer's wins back to 0 (C60)."""

DEAL_PASSES_AFTER_STREAK: Final = False
"""The deal passes on after East's thirteenth win in a row (C60)."""

SHOWN_AFTER_WIN: Final = SEATS
"""Whose concealed tiles are shown after a win (C64)."""

SHOWN_WITHOUT_WINNER: Final[tuple[Seat, ...]] = ()
"""Whose concealed tiles are shown after a hand without a winner (C64)."""

CLAIMS_COLLECTED: Final = True
"""All answers to a discard or kong are collected before any effect (C24)."""

TIMEOUT_TAKES_WIN: Final = True
"""At a timeout the server takes a win that is available (C47)."""

TIMEOUT_DISCARD_AFTER_CLAIM: Final = -1
"""At a timeout without a drawn tile the server discards the last concealed tile in sort order (C47)."""

OPENING_DECISION_MIN_S: Final = 15
"""Shortest time of a decision before East's first turn, in seconds (C45)."""

DISCARD_ORIGIN_SHOWN: Final = False
"""Others are told whether a discard was the drawn tile (C63)."""

EQUAL_SCORES_SHARE_PLACE: Final = True
"""Equal final scores share the better place (C5)."""
