"""Pools in Redis: what their leaders do. Every change checks the leader's token, so an old leader changes nothing."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import redis.asyncio

from mahjong_matchmaker import keys
from mahjong_matchmaker.cool_downs import WHILE_S
from mahjong_matchmaker.pools import Pool
from mahjong_matchmaker.scripts import Scripts
from mahjong_matchmaker.seating import PlannedMatch
from mahjong_matchmaker.ticket import FIRST_RATING, WaitingTicket
from mahjong_matchmaker.ticket_store import KEPT_S, ORDERS_PER_MS

_FENCED: Final = b"fenced"
_FORMED: Final = b"formed"
WAVE_TICKETS_MAX: Final = 4_000
"""Most tickets that one wave looks at, the oldest ones; grouping them takes about 40 ms."""
_READ_AT_ONCE: Final = 500
_TYPICAL_WAIT_KEPT_S: Final = 1800
_MET_MAX: Final = 9
"""The last three tables of a player."""
_MET_KEPT_S: Final = 3600


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
        self._known: dict[Pool, dict[tuple[str, int], WaitingTicket]] = {}
        """Tickets by player and order, as they were read when they were new to this process."""

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
        """Returns the tickets of a pool, oldest first.

        What does not change of a ticket is read once and remembered while it waits.
        """
        entries: Any = await self._client.zrange(keys.queue(pool), 0, WAVE_TICKETS_MAX - 1, withscores=True)
        known = self._known.get(pool, {})
        names = {(player_id.decode(), int(order)) for player_id, order in entries}
        read = {name: known[name] for name in names & known.keys()}
        read |= await self._read(sorted(names - known.keys(), key=lambda name: name[1]))
        self._known[pool] = read
        if not entries:
            return []
        expiries: Any = await self._client.zmscore(keys.expiry(pool), [player_id for player_id, _ in entries])
        return [
            replace(read[name], watched_at_ms=int(expires_at) - self._unwatched_after_ms)
            for name, expires_at in zip(
                ((player_id.decode(), int(order)) for player_id, order in entries), expiries, strict=True
            )
            if expires_at is not None and name in read
        ]

    async def busy(self, pools: Sequence[Pool]) -> list[Pool]:
        """Returns the pools that have something to lead: tickets, or matches whose tables are being made."""
        async with self._client.pipeline(transaction=False) as pipeline:
            for pool in pools:
                pipeline.exists(keys.queue(pool), keys.matches(pool))
            found = await pipeline.execute()
        return [pool for pool, count in zip(pools, found, strict=True) if count]

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

    async def complete(self, lease: Lease, match: PlannedMatch, table_id: str, now_ms: int) -> None:
        """Tells the players of a match their table; a repeated call changes nothing."""
        await self._run_fenced(
            "complete",
            [
                keys.lease(lease.pool),
                keys.matches(lease.pool),
                keys.typical_wait(lease.pool),
                keys.seated_in(now_ms // (WHILE_S * 1000)),
                *_tickets(match),
                *(keys.met(player.player_id) for player in match.players),
            ],
            [
                lease.token,
                match.match_id,
                table_id,
                KEPT_S,
                sum(max(now_ms - player.joined_at_ms, 0) for player in match.players) // len(match.players),
                _TYPICAL_WAIT_KEPT_S,
                _MET_MAX,
                _MET_KEPT_S,
                len(match.players) if match.pool.rated else 0,
                2 * WHILE_S,
                *(player.ticket_id for player in match.players),
                *(player.player_id for player in match.players),
            ],
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

    async def drop(self, lease: Lease, tickets: Sequence[WaitingTicket]) -> list[str]:
        """Ends tickets that wait; returns their players."""
        if not tickets:
            return []
        players = [ticket.player_id for ticket in tickets]
        names = [keys.lease(lease.pool), keys.queue(lease.pool), keys.expiry(lease.pool), *map(keys.ticket, players)]
        ids = [part for ticket in tickets for part in (ticket.ticket_id, ticket.player_id)]
        dropped = await self._run_fenced("drop", names, [lease.token, KEPT_S, *ids])
        return [player.decode() for player in dropped]

    async def _read(self, names: Sequence[tuple[str, int]]) -> dict[tuple[str, int], WaitingTicket]:
        """Reads tickets by player and order; leaves out those that have gone or are others by now."""
        read: dict[tuple[str, int], WaitingTicket] = {}
        for start in range(0, len(names), _READ_AT_ONCE):
            batch = names[start : start + _READ_AT_ONCE]
            async with self._client.pipeline(transaction=False) as pipeline:
                for player_id, _ in batch:
                    pipeline.hmget(
                        keys.ticket(player_id), "ticket_id", "display_name", "order", "rating", "party", "met"
                    )
                found: Any = await pipeline.execute()
            for name, fields in zip(batch, found, strict=True):
                ticket_id, display_name, order, rating, party, met = (
                    "" if value is None else value.decode() for value in fields
                )
                if order == str(name[1]):
                    read[name] = WaitingTicket(
                        ticket_id,
                        name[0],
                        display_name,
                        joined_at_ms=name[1] // ORDERS_PER_MS,
                        watched_at_ms=0,
                        rating=int(rating or FIRST_RATING),
                        party=tuple(party.split(",")) if party else (),
                        met=frozenset(met.split(",")) if met else frozenset(),
                    )
        return read

    async def _run_fenced(self, name: str, names: Sequence[str], arguments: Sequence[str | int | bytes]) -> Any:
        outcome = await self._scripts.run(name, names, arguments)
        if outcome == _FENCED:
            raise LeaseLostError(name)
        return outcome


def _tickets(match: PlannedMatch) -> list[str]:
    return [keys.ticket(player.player_id) for player in match.players]
