"""Plays matches again off the event loop."""

import asyncio
from collections import OrderedDict
from concurrent.futures import ThreadPoolExecutor
from hashlib import sha256
from typing import Final

from mahjong_kit.log import get_logger
from mahjong_replay import errors
from mahjong_replay.store import PlayedMatch
from mahjong_replay.verification import Finding, crashed, examine

FINDINGS_MAX: Final = 1000
WAITING_MAX: Final = 50
"""About the matches that can be judged in the time that a caller waits."""

_log = get_logger()


class Examiner:
    """Judges whole matches in a thread; a hand takes a few milliseconds, and the event loop stays responsive.

    What is asked again while nothing about the match has changed is answered from memory: asking keeps nobody busy.
    """

    def __init__(self, thread: ThreadPoolExecutor) -> None:
        self._thread = thread
        self._findings: OrderedDict[bytes, asyncio.Task[Finding]] = OrderedDict()
        self._waiting = 0

    async def examine(self, played: PlayedMatch) -> Finding:
        """Returns what is to be said of a match that is over.

        Raises:
            ThrottledError: `RATE_LIMITED`: too many others are being judged.
        """
        key = _digest(played)
        if key not in self._findings:
            if self._waiting >= WAITING_MAX:
                raise errors.examiner_busy()
            self._waiting += 1
            self._findings[key] = asyncio.create_task(self._judge(played))
            if len(self._findings) > FINDINGS_MAX:
                self._findings.popitem(last=False)
        self._findings.move_to_end(key)
        return await asyncio.shield(self._findings[key])

    async def _judge(self, played: PlayedMatch) -> Finding:
        assert played.match.end is not None
        terms, end = played.match.terms, played.match.end
        try:
            return await asyncio.get_running_loop().run_in_executor(self._thread, examine, terms, end, played.records)
        except Exception as error:  # noqa: BLE001 - a record that breaks the engine is a finding, not a reason to stop
            _log.error("verification.crashed", match_id=terms.match_id, exc_info=error)
            return crashed(error)
        finally:
            self._waiting -= 1


def _digest(played: PlayedMatch) -> bytes:
    """Returns what differs for matches that may be judged differently."""
    digest = sha256(repr((played.match.terms, played.match.end)).encode())
    for record in played.records:
        digest.update(b"-" if record is None else sha256(record).digest())
    return digest.digest()
