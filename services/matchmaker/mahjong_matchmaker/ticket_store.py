"""Tickets in Redis: what players do with them."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final

import redis.asyncio

from mahjong_matchmaker import keys
from mahjong_matchmaker.pools import Pool, pool_named
from mahjong_matchmaker.scripts import Scripts
from mahjong_matchmaker.ticket import FIRST_RATING, Ticket, TicketState

KEPT_S: Final = 3600
"""How long ended tickets and the request ids of JoinQueue and StartPractice are remembered."""
ORDERS_PER_MS: Final = 1000
"""An order is the time of joining in milliseconds times this, plus a count."""


class JoinOutcome(StrEnum):
    """What became of a request for a ticket."""

    JOINED = "joined"
    KNOWN = "known"
    """The request came before; it gets the same ticket."""
    GONE = "gone"
    """The request came before, and the player has got another ticket since."""
    LIVE = "live"
    """The player has a live ticket already."""


class PracticeOutcome(StrEnum):
    """What became of a request for a practice match."""

    NEW = "new"
    KNOWN = "known"
    LIVE = "live"
    """The player has a live ticket."""


@dataclass(frozen=True, slots=True)
class PoolState:
    """How it looks in a pool."""

    waiting_count: int
    oldest_joined_at_ms: int
    """0 if nobody waits."""
    typical_wait_ms: int | None
    """How long tickets have waited of late; None if nobody was seated lately."""


@dataclass(frozen=True, slots=True)
class Joining:
    """A player's wish for a ticket, with the id that the ticket shall have."""

    request_id: str
    ticket_id: str
    player_id: str
    display_name: str
    pool: Pool
    rating: int = FIRST_RATING


class TicketStore:
    """Reads and changes tickets; each change is one atomic script."""

    def __init__(self, client: redis.asyncio.Redis, *, unwatched_after_ms: int) -> None:
        self._client = client
        self._scripts = Scripts(client)
        self._unwatched_after_ms = unwatched_after_ms

    async def is_known(self, player_id: str, request_id: str) -> bool:
        """Whether the player's request for a ticket came before."""
        return bool(await self._client.exists(keys.join_request(player_id, request_id)))

    async def join(self, joining: Joining, now_ms: int) -> tuple[JoinOutcome, str]:
        """Gives the player a ticket; returns the outcome and the id of the ticket that it is about."""
        player_id, pool = joining.player_id, joining.pool
        outcome, ticket_id = await self._scripts.run(
            "join",
            [
                keys.ticket(player_id),
                keys.join_request(player_id, joining.request_id),
                keys.queue(pool),
                keys.expiry(pool),
                keys.SEQUENCE,
                keys.met(player_id),
            ],
            [
                joining.ticket_id,
                player_id,
                joining.display_name,
                pool.name,
                KEPT_S,
                now_ms,
                now_ms + self._unwatched_after_ms,
                joining.rating,
            ],
        )
        return JoinOutcome(outcome.decode()), ticket_id.decode()

    async def cancel(self, ticket: Ticket) -> TicketState | None:
        """Cancels a queued ticket and those of its party, or notes the wish if their table is being made.

        Returns:
            The state before; None if the ticket is no longer the player's newest.
        """
        players = [ticket.player_id, *(one for one in ticket.party if one != ticket.player_id)]
        state = await self._scripts.run(
            "cancel",
            [keys.queue(ticket.pool), keys.expiry(ticket.pool), *map(keys.ticket, players)],
            [ticket.ticket_id, KEPT_S, *players],
        )
        return None if state is None else TicketState(state.decode())

    async def newest(self, player_id: str) -> Ticket | None:
        """Returns the newest ticket of a player, without the counts of its pool."""
        values: Any = await self._client.hgetall(keys.ticket(player_id))
        if not values:
            return None
        fields = {name.decode(): value.decode() for name, value in values.items()}
        return Ticket(
            ticket_id=fields["ticket_id"],
            player_id=player_id,
            pool=pool_named(fields["pool"]),
            state=TicketState(fields["state"]),
            joined_at_ms=int(fields["order"]) // ORDERS_PER_MS,
            match_id=fields.get("match_id", ""),
            table_id=fields.get("table_id", ""),
            party=_party(fields.get("party", "")),
        )

    async def observe(self, pool: Pool, player_ids: Sequence[str], watched_at_ms: int | None) -> dict[str, Ticket]:
        """Reads the newest tickets of players, last seen in the pool.

        Args:
            pool: the pool.
            player_ids: the players.
            watched_at_ms: the time if somebody watches the tickets, which puts their expiry off.

        Returns:
            The tickets by player; players whose ticket is forgotten are left out.
        """
        waiting, oldest, typical_wait, *found = await self._scripts.run(
            "observe",
            [keys.queue(pool), keys.expiry(pool), keys.typical_wait(pool), *map(keys.ticket, player_ids)],
            ["" if watched_at_ms is None else watched_at_ms + self._unwatched_after_ms, *player_ids],
        )
        seen = PoolState(waiting, int(float(oldest)) // ORDERS_PER_MS, int(typical_wait) if typical_wait else None)
        return {
            player_id: _observed(pool, player_id, fields, seen)
            for player_id, fields in zip(player_ids, found, strict=True)
            if fields[0] is not None
        }

    async def pool_states(self, pools: Sequence[Pool]) -> dict[Pool, PoolState]:
        """Returns how it looks in each of the pools, in their order."""
        async with self._client.pipeline(transaction=False) as pipeline:
            for pool in pools:
                pipeline.zcard(keys.queue(pool))
                pipeline.zrange(keys.queue(pool), 0, 0, withscores=True)
                pipeline.get(keys.typical_wait(pool))
            found: Any = await pipeline.execute()
        rows = zip(pools, found[::3], found[1::3], found[2::3], strict=True)
        return {
            pool: PoolState(
                count, int(oldest[0][1]) // ORDERS_PER_MS if oldest else 0, None if wait is None else int(wait)
            )
            for pool, count, oldest, wait in rows
        }

    async def plan_practice(self, player_id: str, request_id: str, match: bytes) -> tuple[PracticeOutcome, bytes]:
        """Writes a practice match down; returns the outcome and the match that the request has, or the live ticket."""
        outcome, value = await self._scripts.run(
            "practice", [keys.practice_request(player_id, request_id), keys.ticket(player_id)], [match, KEPT_S]
        )
        return PracticeOutcome(outcome.decode()), value


def _observed(pool: Pool, player_id: str, fields: Sequence[Any], seen: PoolState) -> Ticket:
    texts = [b"" if value is None else value for value in fields]
    ticket_id, state, order, match_id, table_id, party = (text.decode() for text in texts)
    is_queued = state == TicketState.QUEUED
    return Ticket(
        ticket_id=ticket_id,
        player_id=player_id,
        pool=pool,
        state=TicketState(state),
        joined_at_ms=int(order) // ORDERS_PER_MS,
        match_id=match_id,
        table_id=table_id,
        party=_party(party),
        waiting_count=seen.waiting_count if is_queued else 0,
        oldest_joined_at_ms=seen.oldest_joined_at_ms if is_queued else 0,
        typical_wait_ms=seen.typical_wait_ms if is_queued else None,
    )


def _party(text: str) -> tuple[str, ...]:
    return tuple(text.split(",")) if text else ()
