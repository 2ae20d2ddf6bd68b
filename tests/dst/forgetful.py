"""Redis as far as the projector uses it: answers like `project.lua`, goes away, forgets everything."""

import asyncio
from collections.abc import Sequence
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

    async def send_all(self, commands: Sequence[Any]) -> list[Any]:
        await self.reach()
        outcomes = [self._run(*command) for command in commands]
        await self.reach()
        return outcomes

    async def reach(self) -> None:
        await asyncio.sleep(self._chance.expovariate(1 / self.delay_s))
        if self.is_down:
            raise RedisConnectionError("gone")

    def project(self, keys: list[str], argv: list[Any]) -> Any:
        """Does what `project.lua` does."""
        if not self.has_script:
            return NoScriptError("NOSCRIPT")
        epoch_key, table_key, deadlines_key, *event_keys = keys
        epoch, sequence, base, _, due, table_id, kept, size = argv[:8]
        if self.strings.get(epoch_key, 0) > epoch:
            return -1
        self.strings[epoch_key] = epoch
        known = self.hashes.get(table_key, {})
        if known and known["sequence"] > sequence:
            return 0
        if base != "" and known.get("sequence") != base:
            return 2
        table = self.hashes.setdefault(table_key, {})
        fields = argv[8 : 8 + size]
        table.update(zip(fields[::2], fields[1::2], strict=True))
        table["sequence"] = sequence
        if due == "":
            self.sets.get(deadlines_key, {}).pop(table_id, None)
        elif due != "=":
            self.sets.setdefault(deadlines_key, {})[table_id] = due
        rest = argv[8 + size :]
        heads: list[int] = []
        for key in event_keys:
            (seat, first, count), rest = rest[:3], rest[3:]
            if count:
                self._append(table, key, f"head{seat}", list(enumerate(rest[:count], first)), kept)
            heads.append(table.get(f"head{seat}", 0))
            rest = rest[count:]
        return heads if base == "" else 1

    def _append(self, table: dict[str, Any], key: str, field: str, events: list[tuple[int, bytes]], kept: int) -> None:
        head = table.get(field, 0)
        if events[0][0] > head + 1:
            self.streams.pop(key, None)
        stream = self.streams.setdefault(key, [])
        stream += [(number, event) for number, event in events if number > head]
        del stream[:-kept]
        table[field] = max(head, events[-1][0])

    def _run(self, name: str, *arguments: Any) -> Any:
        match name, arguments:
            case "EVALSHA", (_, count, *rest):
                return self.project(rest[:count], rest[count:])
            case "DEL", keys:
                for key in keys:
                    self.hashes.pop(key, None)
                    self.streams.pop(key, None)
            case "ZREM", (key, member):
                self.sets.get(key, {}).pop(member, None)
            case "SET", (key, value):
                self.strings[key] = value
            case _:
                raise ValueError(f"the table service sends no {name}")
        return 1
