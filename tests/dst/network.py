"""The network between clients and workers, and among workers: late, lost, doubled, out of order."""

import asyncio
from collections.abc import Callable, Coroutine
from contextvars import Context
from dataclasses import dataclass
from random import Random
from typing import Any

from mahjong_kit.errors import ServiceError
from tests.dst.host import Host
from tests.dst.tally import Tally

_FAR_AWAY_S = 5.0


class LostError(Exception):
    """No answer came: the other side may have got the call or not."""


@dataclass(slots=True)
class NetworkWeather:
    """What is wrong with the network just now."""

    lost: float = 0.0
    doubled: float = 0.0
    slow: float = 0.0
    """Share of messages that take up to 5 s."""


class Network:
    """Carries calls. Only what a host does stops with it; what is on the way arrives."""

    def __init__(self, loop: asyncio.AbstractEventLoop, chance: Random, tally: Tally) -> None:
        self.weather = NetworkWeather()
        self._loop = loop
        self._chance = chance
        self._tally = tally

    async def call(self, host: Host, handler: Callable[[], Coroutine[Any, Any, Any]], timeout_s: float) -> Any:
        """Calls a handler on a host and returns or raises what it does.

        Raises:
            LostError: nothing came back in time.
        """
        answer = self._loop.create_future()
        self._send(host, handler, answer)
        if self._chance.random() < self.weather.doubled:
            self._tally.count("message doubled")
            self._send(host, handler, answer)
        try:
            async with asyncio.timeout(timeout_s):
                return await answer
        except TimeoutError:
            raise LostError from None

    def delay_s(self) -> float:
        """Draws how long a message takes."""
        if self._chance.random() < self.weather.slow:
            self._tally.count("message delayed")
            return self._chance.uniform(0, _FAR_AWAY_S)
        return self._chance.uniform(0.001, 0.08)

    def is_lost(self) -> bool:
        """Draws whether a message is lost."""
        if self._chance.random() < self.weather.lost:
            self._tally.count("message lost")
            return True
        return False

    def _send(self, host: Host, handler: Callable[[], Coroutine[Any, Any, Any]], answer: asyncio.Future[Any]) -> None:
        if self.is_lost():
            return

        async def handle() -> None:
            try:
                outcome, error = await handler(), None
            except ServiceError as raised:
                outcome, error = None, raised
            if not self.is_lost():
                self._later(lambda: _settle(answer, outcome, error))

        def arrive() -> None:
            if not host.is_dead:
                host.spawn(handle())

        self._later(arrive)

    def _later(self, action: Callable[[], None]) -> None:
        self._loop.call_later(self.delay_s(), action, context=Context())


def _settle(answer: asyncio.Future[Any], outcome: Any, error: Exception | None) -> None:
    if answer.done():
        return
    if error is None:
        answer.set_result(outcome)
    else:
        answer.set_exception(error)
