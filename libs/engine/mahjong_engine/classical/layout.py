"""Where the tiles of the classical game lie (C3, C8-C10)."""

from typing import Final

START_SCORE: Final = 2_000
"""Points of every seat before the first hand (C3)."""

LIVE_WALL: Final = range(53, 128)
"""Wall places of the live wall, taken from the front (C9)."""

KONG_BOX: Final = range(128, 144)
"""Wall places of the kong box, taken upwards and never topped up (C10)."""
