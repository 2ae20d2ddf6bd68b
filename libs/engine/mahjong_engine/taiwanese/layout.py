"""Where the tiles of the Taiwanese game lie (T3, T9-T11)."""

from typing import Final

START_SCORE: Final = 2_000
"""Points of every seat before the first hand (T3)."""

LIVE_WALL: Final = range(65, 128)
"""Wall places of the live wall; draws take its front, the dead wall is topped up from its end (T10, T11)."""

DEAD_WALL_SIZE: Final = 16
"""Tiles in the dead wall at any time (T11)."""

REPLACEMENTS: Final = (*range(128, 144), *range(127, 64, -1))
"""Wall places in the order of replacements: the dealt dead wall, then the live tiles that moved to its back (T11)."""
