"""Opens Redis or Valkey: one server, or a cluster."""

import asyncio
from collections.abc import AsyncIterator, Iterable, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from typing import Annotated, Any

import hiredis
import redis.asyncio
from pydantic import AfterValidator
from redis.asyncio.connection import (
    AbstractConnection,
    Connection,
    SSLConnection,
    UnixDomainSocketConnection,
    parse_url,
)
from redis.asyncio.retry import Retry
from redis.backoff import EqualJitterBackoff

from mahjong_kit.backoff import until_reachable
from mahjong_kit.errors import ServiceError, store_unreachable
from mahjong_kit.metrics import ServiceMetrics
from mahjong_kit.store_times import StoreTimes, times_of

STORE = "redis"
_CONNECTIONS_MAX = 1_000
"""Commands at one moment, each on a connection of its own; without it the client refuses the hundred and first."""
_LOST = (redis.ConnectionError, redis.TimeoutError, redis.exceptions.ClusterDownError)

_pack: Any = hiredis.pack_command  # Its stub knows commands of one word only.

Command = tuple[str | bytes | int | float, ...]
"""A command and its arguments."""


class Redis(redis.asyncio.Redis):
    """The client, with one more way to send."""

    times: StoreTimes = times_of(STORE, None)

    async def execute_command(self, *command: Any, **options: Any) -> Any:
        """Sends one command."""
        send: Any = super().execute_command
        with self.times.taking("command"):
            return await send(*command, **options)

    async def send_all(self, commands: Sequence[Command]) -> list[Any]:
        """Sends many commands at once and returns their answers, errors among them.

        A pipeline that does no more: it costs a third, is never sent again by itself and takes what hiredis packs.

        Raises:
            RedisError: the connection was lost; any of the commands may have been carried out.
        """
        pool: Any = self.connection_pool
        with self.times.taking("batch"):
            connection: Any = await pool.get_connection()
            try:
                await connection.send_packed_command([b"".join(map(_pack, commands))])
                return [await _answer(connection) for _ in commands]
            except BaseException:
                await connection.disconnect(nowait=True)  # Answers to come would be taken for those of others.
                raise
            finally:
                await pool.release(connection)


async def _answer(connection: Any) -> Any:
    try:
        return await connection.read_response()
    except redis.ResponseError as error:
        return error


class ClusterRedis(redis.asyncio.RedisCluster):
    """The client of a cluster, as far as services know `Redis`; the keys of one command must have one slot."""

    times: StoreTimes = times_of(STORE, None)

    async def initialize(self, *where: Any, **named: Any) -> "ClusterRedis":
        """Asks a node for the others."""
        with _told_as_lost():
            await super().initialize(*where, **named)
        return self

    async def execute_command(self, *command: Any, **options: Any) -> Any:
        """Sends one command to the node that has its key."""
        with self.times.taking("command"), _told_as_lost():
            return await super().execute_command(*command, **options)

    async def send_all(self, commands: Sequence[Command]) -> list[Any]:
        """Sends many commands at once, each node its own, and returns their answers, errors among them.

        Raises:
            RedisError: a connection was lost; any of the commands may have been carried out.
        """
        if not commands:
            return []
        pipeline: Any = self.pipeline(transaction=False)
        for command in commands:
            pipeline.execute_command(*command)
        with self.times.taking("batch"), _told_as_lost():
            answers: list[Any] = await pipeline.execute(raise_on_error=False)
        if lost := next((answer for answer in answers if isinstance(answer, _LOST)), None):
            raise lost
        return answers


@contextmanager
def _told_as_lost() -> Iterator[None]:
    """Tells as a lost connection that no node answers, or none for a slot: the client's own error is no RedisError."""
    try:
        yield
    except redis.exceptions.RedisClusterException as error:
        if isinstance(error, redis.exceptions.SlotNotCoveredError) or "cannot be connected" in str(error):
            raise redis.ConnectionError(str(error)) from error
        raise


_CLUSTER = "+cluster"


def _checked_url(url: str) -> str:
    try:
        parse_url(url.replace(_CLUSTER, "", 1))
    except ValueError:  # Its text may have a part of the password in it.
        raise ValueError(
            "not a URL of Redis: redis://…, rediss://… or unix://…, its password percent-encoded"
        ) from None
    return url


RedisUrl = Annotated[str, AfterValidator(_checked_url)]
"""Type of a setting `redis_url`: `redis://host:port/db`, `rediss://…`, `unix:///path`; of a cluster any node's
`redis+cluster://host:port` or `rediss+cluster://…`."""


@asynccontextmanager
async def open_redis(
    url: str,
    *,
    timeout_s: float | None = 2.0,
    is_awaited: bool = True,
    metrics: ServiceMetrics | None = None,
) -> AsyncIterator[Redis]:
    """Gives a client of the server at a URL; waits until the server answers, however long that takes.

    A command whose connection breaks is sent again, twice at the most, and may thus run twice: use only commands and
    scripts that may be repeated.

    Args:
        url: As `RedisUrl` takes it.
        timeout_s: Longest wait for one reply; None for clients that block on purpose (subscriptions, BLPOP).
        is_awaited: False for a service that does without Redis for a while: the client is given at once.
        metrics: Where commands are timed.
    """
    client: Any = _cluster_client(url, timeout_s) if _CLUSTER in url.partition(":")[0] else _client(url, timeout_s)
    client.times = times_of(STORE, metrics)
    try:
        if is_awaited:
            await until_reachable(STORE, client.ping, _LOST)
        yield client
    finally:
        await client.aclose()


def _client(url: str, timeout_s: float | None) -> Any:
    # A unix socket has no keepalive, and its connection does not take the option.
    options: dict[str, Any] = {} if url.startswith("unix:") else {"socket_keepalive": True}
    client: Any = Redis.from_url(url, max_connections=_CONNECTIONS_MAX, **options, **_options(timeout_s))
    pool = client.connection_pool
    pool.connection_class = _CANCELLABLE[pool.connection_class]
    return client


def _cluster_client(url: str, timeout_s: float | None) -> Any:
    # A node that has gone is asked about at the others at once, so a slot's new owner is found within one retry or two.
    client: Any = ClusterRedis.from_url(
        url.replace(_CLUSTER, "", 1), socket_keepalive=True, reinitialize_steps=1, **_options(timeout_s)
    )
    own = _CANCELLABLE[client.connection_kwargs["connection_class"]]
    client.connection_kwargs["connection_class"] = client.nodes_manager.connection_kwargs["connection_class"] = own
    for node in client.nodes_manager.startup_nodes.values():
        node.connection_class = own
    return client


def _options(timeout_s: float | None) -> dict[str, Any]:
    return {
        "protocol": 3,
        "socket_timeout": timeout_s,
        "socket_connect_timeout": 2.0,
        "health_check_interval": 15,
        "retry": Retry(EqualJitterBackoff(cap=0.5, base=0.05), 2),
    }


def store_error(error: Exception) -> ServiceError | None:
    """Returns `STORE_UNREACHABLE` if the exception means that the server does not answer."""
    return store_unreachable(STORE) if isinstance(error, _LOST) else None


class _Cancellable(AbstractConnection):
    """Sends without `asyncio.wait_for`, which before Python 3.12 may lose a cancellation (gh-86296), and needs no task.

    A task that was cancelled and goes on for ever is what keeps a service from going down.
    """

    async def send_packed_command(
        self,
        command: bytes | str | Iterable[bytes],
        check_health: bool = True,  # noqa: FBT001, FBT002 - theirs
    ) -> None:
        """Does what the parent does."""
        if not self.is_connected:
            await self.connect_check_health(check_health=False)
        if check_health:
            await self.check_health()  # type: ignore[no-untyped-call]
        chunks = (
            [command.encode() if isinstance(command, str) else command] if isinstance(command, str | bytes) else command
        )
        try:
            async with asyncio.timeout(self.socket_timeout):
                await self._send_packed_command(chunks)
        except TimeoutError:
            await self.disconnect(nowait=True)
            raise redis.TimeoutError("Timeout writing to socket") from None
        except OSError as error:
            await self.disconnect(nowait=True)
            raise redis.ConnectionError(f"Error while writing to socket: {error}") from error
        except BaseException:
            await self.disconnect(nowait=True)
            raise


class _Tcp(_Cancellable, Connection):
    pass


class _Tls(_Cancellable, SSLConnection):
    pass


class _Unix(_Cancellable, UnixDomainSocketConnection):
    pass


_CANCELLABLE: dict[Any, Any] = {Connection: _Tcp, SSLConnection: _Tls, UnixDomainSocketConnection: _Unix}
