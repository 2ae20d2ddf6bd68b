"""How often a password may be tried, a name changed, a stranger asked: buckets in the database, for all replicas.

Each bucket is one number (GCRA): the time at which it is full again. One statement takes a token or finds that there is
none, whoever else tries at the same moment.
"""

from collections.abc import Callable
from dataclasses import dataclass
from hashlib import sha256
from typing import Any, Final

from sqlalchemy import case
from sqlalchemy.dialects import postgresql, sqlite
from sqlmodel import col, delete, select
from sqlmodel.ext.asyncio.session import AsyncSession

from mahjong_account import errors
from mahjong_account.models import Attempt
from mahjong_kit.sql import Database


@dataclass(frozen=True, slots=True)
class Allowance:
    """So many attempts at once, and one more each so many milliseconds."""

    limit: str
    """What the error calls it."""
    burst: int
    interval_ms: int


BY_LOGIN_AND_ADDRESS: Final = Allowance("sign_in", 10, 60_000)
"""One address at one login name: nobody guesses a password, and nobody keeps its owner out from elsewhere."""
BY_LOGIN: Final = Allowance("sign_in_anywhere", 100, 36_000)
"""All addresses together at one login name."""
BY_PLAYER: Final = Allowance("password", 10, 60_000)
"""A signed-in player at the own password, or at becoming an account."""
RENAMES: Final = Allowance("rename", 10, 600_000)
"""A player at the own display name: nobody runs through names that others may want."""
FRIEND_REQUESTS: Final = Allowance("friend_requests", 30, 30_000)
"""A player at asking others to be friends."""


class Attempts:
    """Counts attempts."""

    def __init__(self, database: Database, clock_ms: Callable[[], int]) -> None:
        self._database = database
        self._clock_ms = clock_ms

    async def take(self, *keys: tuple[Allowance, str]) -> None:
        """Counts an attempt under each key, the first that has none left refuses it.

        Raises:
            ThrottledError: `RATE_LIMITED`.
        """
        now_ms = self._clock_ms()
        for allowance, key in keys:
            async with self._database.writing() as session:
                wait_ms = await _taken(session, allowance, _hashed(allowance, key), now_ms)
            if wait_ms > 0:
                raise errors.rate_limited(allowance.limit, wait_ms / 1000)

    async def forgive(self, *keys: tuple[Allowance, str]) -> None:
        """Forgets the attempts under each key: the last one was right."""
        hashes = [_hashed(allowance, key) for allowance, key in keys]
        async with self._database.writing() as session:
            await session.exec(delete(Attempt).where(col(Attempt.key_hash).in_(hashes)))


async def _taken(session: AsyncSession, allowance: Allowance, key_hash: str, now_ms: int) -> int:
    """Returns 0 when a token was taken, or how long to wait for one."""
    full_at = case((col(Attempt.full_time_ms) > now_ms, col(Attempt.full_time_ms)), else_=now_ms)
    latest_ms = now_ms + (allowance.burst - 1) * allowance.interval_ms
    dialect: Any = postgresql if session.get_bind().dialect.name == "postgresql" else sqlite
    taking = (
        dialect.insert(Attempt)
        .values(key_hash=key_hash, full_time_ms=now_ms + allowance.interval_ms)
        .on_conflict_do_update(
            index_elements=[col(Attempt.key_hash)],
            set_={"full_time_ms": full_at + allowance.interval_ms},
            where=full_at <= latest_ms,
        )
        .returning(col(Attempt.full_time_ms))
    )
    if (await session.exec(taking)).one_or_none() is not None:
        return 0
    full_time_ms = (await session.exec(select(Attempt.full_time_ms).where(Attempt.key_hash == key_hash))).one()
    return max(full_time_ms - latest_ms, 1)


def _hashed(allowance: Allowance, key: str) -> str:
    return sha256(f"{allowance.limit}\0{key}".encode()).hexdigest()
