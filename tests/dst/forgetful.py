"""Redis as far as the projector uses it: answers like `project.lua`, goes away, forgets everything."""

import asyncio
from random import Random
from typing import Any

from redis.exceptions import ConnectionError as RedisConnectionError
from redis.exceptions import NoScriptError


class ForgetfulRedis:
    """Stands in for a Redis client; all hosts share it."""

    def __init__(self, chance: Random) -> None:
        self._chance = chance
        self.is_down = False
        self.delay_s = 0.001
        self.wipe()

    def wipe(self) -> None:
        """Forgets everything, scripts too."""
        self.strings: dict[str, Any] = {}
        self.hashes: dict[str, dict[str, Any]] = {}
        self.sets: dict[str, dict[str, Any]] = {}
        self.streams: dict[str, list[tuple[int, bytes]]] = {}
        self.has_script = False

    async def script_load(self, script: str) -> str:
        await self.reach()
        self.has_script = True
        return "sha"

    async def xrange(self, key: str, min: str) -> list[tuple[bytes, dict[bytes, bytes]]]:  # noqa: A002 - Redis' word
        await self.reach()
        first = int(min.split("-", maxsplit=1)[0])
        return [(f"{n}-0".encode(), {b"e": event}) for n, event in self.streams.get(key, []) if n >= first]

    def pipeline(self, *, transaction: bool) -> "_Pipeline":
        return _Pipeline(self)

    async def reach(self) -> None:
        await asyncio.sleep(self._chance.expovariate(1 / self.delay_s))
        if self.is_down:
            raise RedisConnectionError("gone")

    def project(self, keys: list[str], argv: list[Any]) -> Any:
        """Does what `project.lua` does."""
        if not self.has_script:
            return NoScriptError("NOSCRIPT")
        epoch_key, table_key, deadlines_key, *event_keys = keys
        epoch, sequence, is_whole, _, due, table_id, kept, size = argv[:8]
        if self.strings.get(epoch_key, 0) > epoch:
            return -1
        self.strings[epoch_key] = epoch
        known = self.hashes.get(table_key, {})
        if not known and not is_whole:
            return 2
        if known and known["sequence"] > sequence:
            return 0
        table = self.hashes.setdefault(table_key, {})
        fields = argv[8 : 8 + size]
        table.update(zip(fields[::2], fields[1::2], strict=True))
        table["sequence"] = sequence
        if due == "":
            self.sets.get(deadlines_key, {}).pop(table_id, None)
        else:
            self.sets.setdefault(deadlines_key, {})[table_id] = due
        events = argv[8 + size :]
        for seat, number, event in zip(events[::3], events[1::3], events[2::3], strict=True):
            head = table.get(f"head{seat}", 0)
            if number > head:
                if number != head + 1:
                    self.streams.pop(event_keys[seat], None)
                stream = self.streams.setdefault(event_keys[seat], [])
                stream.append((number, event))
                del stream[:-kept]
                table[f"head{seat}"] = number
        return 1


class _Pipeline:
    def __init__(self, redis: ForgetfulRedis) -> None:
        self._redis = redis
        self._calls: list[Any] = []

    def evalsha(self, sha: str, count: int, *rest: Any) -> None:
        keys, argv = list(rest[:count]), list(rest[count:])
        self._calls.append(lambda: self._redis.project(keys, argv))

    def delete(self, *keys: str) -> None:
        def drop() -> None:
            for key in keys:
                self._redis.hashes.pop(key, None)
                self._redis.streams.pop(key, None)

        self._calls.append(drop)

    def zrem(self, key: str, member: str) -> None:
        self._calls.append(lambda: self._redis.sets.get(key, {}).pop(member, None))

    def set(self, key: str, value: str) -> None:
        self._calls.append(lambda: self._redis.strings.__setitem__(key, value))

    async def execute(self, *, raise_on_error: bool) -> list[Any]:
        await self._redis.reach()
        outcomes = [call() for call in self._calls]
        await self._redis.reach()
        return outcomes
