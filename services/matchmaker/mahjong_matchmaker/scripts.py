"""The atomic steps of the store: Lua scripts, one a file in lua/, called by the name of the file."""

from collections.abc import Sequence
from importlib import resources
from typing import Any

import redis.asyncio

_NAMES = (
    "join", "cancel", "observe", "lease", "release", "form", "complete", "dissolve", "expire", "practice", "limit",
    "drop", "no_shows", "room_create", "room_change", "queue_party",
)  # fmt: skip


class Scripts:
    """Runs the scripts; the server learns each when it is first needed, again after it forgot."""

    def __init__(self, client: redis.asyncio.Redis) -> None:
        folder = resources.files("mahjong_matchmaker") / "lua"
        self._scripts = {name: client.register_script((folder / f"{name}.lua").read_text()) for name in _NAMES}

    async def run(self, name: str, keys: Sequence[str], arguments: Sequence[str | int | bytes]) -> Any:
        """Runs one script and returns what it returns; texts are bytes."""
        return await self._scripts[name](keys=keys, args=arguments)
