"""Plays matches again off the event loop."""

import asyncio
from concurrent.futures import ThreadPoolExecutor

from mahjong_kit.log import get_logger
from mahjong_replay.store import PlayedMatch
from mahjong_replay.verification import Finding, crashed, examine

_log = get_logger()


class Examiner:
    """Judges whole matches in a thread; a hand takes a few milliseconds, and the event loop stays responsive."""

    def __init__(self, thread: ThreadPoolExecutor) -> None:
        self._thread = thread

    async def examine(self, played: PlayedMatch) -> Finding:
        """Returns what is to be said of a match that is over."""
        assert played.match.end is not None
        terms, end = played.match.terms, played.match.end
        try:
            return await asyncio.get_running_loop().run_in_executor(self._thread, examine, terms, end, played.records)
        except Exception as error:  # noqa: BLE001 - a record that breaks the engine is a finding, not a reason to stop
            _log.error("verification.crashed", match_id=terms.match_id, exc_info=error)
            return crashed(error)
