"""Where the tiles of the Taiwanese game lie (T3, T9-T11)."""

from typing import Final

START_SCORE: Final = 2_000
"""Points of every seat before the first hand (T3)."""

LIVE_WALL: Final = range(65, 128)
"""Wall places of the live wall; draws take its front, the dead wall is topped up from its end (T10, T11)."""

DEAD_WALL: Final = range(128, 144)
"""Wall places of the dead wall, taken from its front (T11)."""
