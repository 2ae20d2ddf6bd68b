"""Spares a server that is away or just coming up: it is tried now and then, however many callers there are."""

import random
import time
from collections.abc import Callable

from mahjong_kit.errors import store_unreachable

_FIRST_S = 0.05
_LONGEST_S = 0.5


class Reach:
    """Whether a server can be reached, as the last attempts told.

    While it can't, one caller makes the next attempt after a pause, and the others are refused meanwhile. Pauses grow
    and are jittered, so that the processes of a fleet do not come all at once; a server that is back is found within
    half a second.
    """

    def __init__(self, store: str, clock: Callable[[], float] = time.monotonic) -> None:
        self._store = store
        self._clock = clock
        self._pause_s = 0.0
        """Longest pause before the next attempt; 0 while the server is there."""
        self._next_at = 0.0

    def try_now(self) -> None:
        """Lets a caller through to the server; it tells what came of it.

        Raises:
            UnavailableError: `STORE_UNREACHABLE`, with the time until the next attempt.
        """
        if not self._pause_s:
            return
        left_s = self._next_at - self._clock()
        if left_s > 0:
            raise store_unreachable(self._store, retry_after_s=left_s)
        self._wait()  # The others wait for what comes of this attempt.

    def found(self) -> None:
        """Takes note that the server was reached."""
        self._pause_s = 0.0

    def missed(self) -> None:
        """Takes note that the server was not reached."""
        self._pause_s = min(2 * self._pause_s, _LONGEST_S) or _FIRST_S
        self._wait()

    def _wait(self) -> None:
        self._next_at = self._clock() + self._pause_s * random.uniform(0.5, 1.0)
