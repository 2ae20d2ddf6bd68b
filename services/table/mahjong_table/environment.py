"""What all tables of a worker share."""

from dataclasses import dataclass
from random import Random
from typing import TYPE_CHECKING

from mahjong_table.arrivals import Arrivals
from mahjong_table.clock import WallClock
from mahjong_table.committer import Committer
from mahjong_table.metrics import TableMetrics
from mahjong_table.no_shows import NoShows
from mahjong_table.pulse import Pulse
from mahjong_table.settings import TableSettings
from mahjong_table.wheel import Wheel

if TYPE_CHECKING:
    from mahjong_table.computers import Computers
    from mahjong_table.keeper import Keeper
    from mahjong_table.projection.projector import Projector


@dataclass(frozen=True, slots=True)
class Environment:
    """The parts of a worker that tables use."""

    settings: TableSettings
    clock: WallClock
    chance: Random
    """Of seeds, floors and thoughts: the system's own in production, a seeded one in tests."""
    pulse: Pulse
    wheel: Wheel
    committer: Committer
    projector: "Projector"
    computers: "Computers"
    keeper: "Keeper"
    metrics: TableMetrics
    arrivals: Arrivals
    no_shows: NoShows

    def floor_ms(self) -> int:
        """Draws the pause after the next discard, whatever it will be."""
        return self.chance.randint(self.settings.floor_min_ms, self.settings.floor_max_ms)

    def thought_ms(self) -> int:
        """Draws how long a computer thinks in its turn."""
        return self.chance.randint(self.settings.computer_min_ms, self.settings.computer_max_ms)
