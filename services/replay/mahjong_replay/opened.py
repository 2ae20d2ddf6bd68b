"""Hands that are open: played again once, then stepped through as often as anybody likes."""

import asyncio
from collections import OrderedDict
from concurrent.futures import ThreadPoolExecutor

from mahjong_engine.tile import Seat
from mahjong_kit.log import get_logger
from mahjong_replay import errors
from mahjong_replay.codec import UnreadableRecordError
from mahjong_replay.metrics import ReplayMetrics
from mahjong_replay.store import ReplayStore
from mahjong_replay.timeline import Moment, Timeline, timeline_of

_Key = tuple[str, int]

_log = get_logger()


class OpenHands:
    """The hands that were looked into last. A hand never changes, so what is open is right as long as it is stored."""

    def __init__(self, store: ReplayStore, thread: ThreadPoolExecutor, metrics: ReplayMetrics, count_max: int) -> None:
        """Makes the shelf.

        Args:
            store: where the records are.
            thread: plays them again, off the event loop.
            metrics: counts how hands were opened.
            count_max: hands that stay open; about 50 kB each.
        """
        self._store = store
        self._thread = thread
        self._metrics = metrics
        self._count_max = count_max
        self._open: OrderedDict[_Key, Timeline] = OrderedDict()
        self._opening: dict[_Key, asyncio.Task[Timeline | None]] = {}

    async def open(self, match_id: str, hand_number: int) -> Timeline | None:
        """Returns a hand, or None if there is no such; whoever asks meanwhile waits for the same opening.

        Raises:
            DamagedDataError: `RECORD_DAMAGED`.
            RecordTooNewError: `RECORD_TOO_NEW`.
        """
        key = match_id, hand_number
        if (timeline := self._open.get(key)) is not None:
            self._open.move_to_end(key)
            self._metrics.hands_opened.labels("cache").inc()
            return timeline
        if key not in self._opening:
            self._opening[key] = asyncio.create_task(self._open_new(key))
        return await asyncio.shield(self._opening[key])

    async def moment(self, timeline: Timeline, seat: Seat | None, position: int) -> Moment:
        """Returns the table after an event of an open hand; the first one of a seat takes its time, elsewhere."""
        if not timeline.is_prepared(seat):
            await asyncio.get_running_loop().run_in_executor(self._thread, timeline.prepare, seat)
        return timeline.moment(seat, position)

    async def _open_new(self, key: _Key) -> Timeline | None:
        try:
            record_json = await self._store.find_record(*key)
            if record_json is None:
                return None
            timeline = await self._play(key, record_json)
        except UnreadableRecordError as error:
            raise errors.record_damaged(*key) from error
        finally:
            del self._opening[key]
        self._open[key] = timeline
        if len(self._open) > self._count_max:
            self._open.popitem(last=False)
        self._metrics.hands_opened.labels("record").inc()
        return timeline

    async def _play(self, key: _Key, record_json: bytes) -> Timeline:
        try:
            return await asyncio.get_running_loop().run_in_executor(self._thread, timeline_of, record_json)
        except Exception as error:
            match_id, hand_number = key
            _log.error("hand.unplayable", match_id=match_id, hand_number=hand_number, exc_info=error)
            raise errors.record_damaged(*key) from error
