"""Pools in Redis: what their leaders do. Every change checks the leader's token, so an old leader changes nothing."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any, Final

import redis.asyncio

from mahjong_matchmaker import keys
from mahjong_matchmaker.pools import Pool
from mahjong_matchmaker.scripts import Scripts
from mahjong_matchmaker.seating import PlannedMatch
from mahjong_matchmaker.ticket import WaitingTicket
from mahjong_matchmaker.ticket_store import KEPT_S, ORDERS_PER_MS

_FENCED: Final = b"fenced"
_FORMED: Final = b"formed"
WAVE_TICKETS_MAX: Final = 400
"""Most tickets that one wave looks at; reading one takes about 0.1 ms."""


class LeaseLostError(Exception):
    """Another replica leads the pool now."""


@dataclass(frozen=True, slots=True)
class Lease:
    """The right to lead a pool."""

    pool: Pool
    token: str
    """Grows with every taking of the pool's lease."""


class PoolStore:
    """Reads and changes pools on behalf of a leader."""

    def __init__(self, client: redis.asyncio.Redis, *, lease_ms: int, unwatched_after_ms: int) -> None:
        self._client = client
        self._scripts = Scripts(client)
        self._lease_ms = lease_ms
        self._unwatched_after_ms = unwatched_after_ms

    async def take_lease(self, pool: Pool) -> Lease | None:
        """Takes the lease of a pool if nobody has it."""
        token = await self._scripts.run("lease", [keys.lease(pool), keys.fence(pool)], [self._lease_ms, ""])
        return None if token is None else Lease(pool, token.decode())

    async def keep_lease(self, lease: Lease) -> None:
        """Puts the end of a lease off.

        Raises:
            LeaseLostError: it has ended.
        """
        names = [keys.lease(lease.pool), keys.fence(lease.pool)]
        if await self._scripts.run("lease", names, [self._lease_ms, lease.token]) is None:
            raise LeaseLostError(lease.pool.name)

    async def release_lease(self, lease: Lease) -> None:
        """Gives a lease back, so that another replica need not wait for its end."""
        await self._scripts.run("release", [keys.lease(lease.pool)], [lease.token])

    async def waiting(self, pool: Pool) -> list[WaitingTicket]:
        """Returns the tickets of a pool, oldest first."""
        entries: Any = await self._client.zrange(keys.queue(pool), 0, WAVE_TICKETS_MAX - 1, withscores=True)
        async with self._client.pipeline(transaction=False) as pipeline:
            for player_id, _ in entries:
                pipeline.hmget(keys.ticket(player_id.decode()), "ticket_id", "display_name")
                pipeline.zscore(keys.expiry(pool), player_id)
            found: Any = await pipeline.execute()
        return [
            WaitingTicket(
                ticket_id.decode(),
                player_id.decode(),
                name.decode(),
                joined_at_ms=int(order) // ORDERS_PER_MS,
                watched_at_ms=int(expires_at) - self._unwatched_after_ms,
            )
            for (player_id, order), (ticket_id, name), expires_at in zip(entries, found[::2], found[1::2], strict=True)
            if ticket_id is not None and expires_at is not None
        ]

    async def matches(self, pool: Pool) -> list[PlannedMatch]:
        """Returns the matches of a pool whose tables are being made."""
        found: Any = await self._client.hgetall(keys.matches(pool))
        return [PlannedMatch.from_json(text) for text in found.values()]

    async def form(self, lease: Lease, match: PlannedMatch) -> bool:
        """Takes the tickets of a match out of the pool and writes the match down; False if one has left meanwhile."""
        ids = [part for player in match.players for part in (player.ticket_id, player.player_id)]
        outcome = await self._run_fenced(
            "form",
            [
                keys.lease(lease.pool),
                keys.queue(lease.pool),
                keys.expiry(lease.pool),
                keys.matches(lease.pool),
                *_tickets(match),
            ],
            [lease.token, match.match_id, match.to_json(), *ids],
        )
        return bool(outcome == _FORMED)

    async def complete(self, lease: Lease, match: PlannedMatch, table_id: str) -> None:
        """Tells the players of a match their table; a repeated call changes nothing."""
        await self._run_fenced(
            "complete",
            [keys.lease(lease.pool), keys.matches(lease.pool), *_tickets(match)],
            [lease.token, match.match_id, table_id, KEPT_S, *(player.ticket_id for player in match.players)],
        )

    async def dissolve(self, lease: Lease, match: PlannedMatch, dropped: Collection[str], now_ms: int) -> None:
        """Gives a match up: its tickets go back to their places in the pool, those of `dropped` players end."""
        tickets: list[str | int] = []
        for player in match.players:
            tickets += player.ticket_id, player.player_id, int(player.player_id in dropped)
        await self._run_fenced(
            "dissolve",
            [
                keys.lease(lease.pool),
                keys.queue(lease.pool),
                keys.expiry(lease.pool),
                keys.matches(lease.pool),
                *_tickets(match),
            ],
            [lease.token, match.match_id, now_ms + self._unwatched_after_ms, KEPT_S, *tickets],
        )

    async def expire(self, lease: Lease, now_ms: int) -> list[str]:
        """Drops the tickets that nobody has watched for too long; returns their players."""
        due: Any = await self._client.zrangebyscore(
            keys.expiry(lease.pool), "-inf", now_ms, start=0, num=WAVE_TICKETS_MAX
        )
        if not due:
            return []
        players = [player.decode() for player in due]
        expired = await self._run_fenced(
            "expire",
            [keys.lease(lease.pool), keys.queue(lease.pool), keys.expiry(lease.pool), *map(keys.ticket, players)],
            [lease.token, now_ms, KEPT_S, *players],
        )
        return [player.decode() for player in expired]

    async def _run_fenced(self, name: str, names: Sequence[str], arguments: Sequence[str | int | bytes]) -> Any:
        outcome = await self._scripts.run(name, names, arguments)
        if outcome == _FENCED:
            raise LeaseLostError(name)
        return outcome


def _tickets(match: PlannedMatch) -> list[str]:
    return [keys.ticket(player.player_id) for player in match.players]
