"""Friends and blocks."""

from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Final

from mahjong_account import errors
from mahjong_account.attempts import FRIEND_REQUESTS, Attempts
from mahjong_account.pages import Position
from mahjong_account.relation_rows import Kind, Listed, RelationRows
from mahjong_account.store import AccountStore
from mahjong_kit.errors import NotFoundError

FRIENDS_MAX: Final = 500
SENT_MAX: Final = 100
RECEIVED_MAX: Final = 500
BLOCKED_MAX: Final = 1_000

_REQUESTS: Final = (Kind.SENT, Kind.RECEIVED)


class Friends:
    """What stands between players. Whatever has a line on both sides changes with both locked, so both see the same."""

    def __init__(self, store: AccountStore, attempts: Attempts, clock_ms: Callable[[], int]) -> None:
        self._store = store
        self._attempts = attempts
        self._clock_ms = clock_ms

    async def ask(self, player_id: str, other_id: str) -> bool:
        """Asks another player to be friends; returns whether they are friends now, because the other had asked too.

        Raises:
            NotFoundError: `ACCOUNT_NOT_FOUND`.
            ForbiddenError: `PLAYER_BLOCKED`.
            AlreadyExistsError: `ALREADY_FRIENDS`.
            RuleViolationError: `LIST_FULL`.
            ThrottledError: `RATE_LIMITED`.
        """
        await self._attempts.take((FRIEND_REQUESTS, player_id))
        async with self._store.changing() as changes:
            relations = changes.relations
            await relations.lock_both(player_id, other_id)
            await _refuse_blocked(relations, player_id, other_id)
            if await relations.find(player_id, Kind.FRIEND, other_id) is not None:
                raise errors.already_friends(other_id)
            if await relations.find(player_id, Kind.RECEIVED, other_id) is not None:
                await self._befriend(relations, player_id, other_id)
                return True
            if await relations.find(player_id, Kind.SENT, other_id) is None:
                await _refuse_full(relations, player_id, Kind.SENT, "requests", SENT_MAX)
                await _refuse_full(relations, other_id, Kind.RECEIVED, "received", RECEIVED_MAX)
                await relations.put(player_id, Kind.SENT, other_id, self._clock_ms())
                await relations.put(other_id, Kind.RECEIVED, player_id, self._clock_ms())
            return False

    async def accept(self, player_id: str, other_id: str) -> Listed:
        """Accepts what another player has asked; a second call changes nothing.

        Raises:
            NotFoundError: `FRIEND_REQUEST_NOT_FOUND`.
            RuleViolationError: `LIST_FULL`.
        """
        async with self._store.changing() as changes:
            relations = changes.relations
            _, other = await relations.lock_both(player_id, other_id)
            friendship = await relations.find(player_id, Kind.FRIEND, other_id)
            if friendship is not None:
                return Listed(other, friendship.create_time_ms)
            if await relations.find(player_id, Kind.RECEIVED, other_id) is None:
                raise errors.friend_request_not_found(other_id)
            return Listed(other, await self._befriend(relations, player_id, other_id))

    async def decline(self, player_id: str, other_id: str) -> None:
        """Takes requests between two players away, whoever has asked."""
        await self._drop_both(player_id, other_id, _REQUESTS)

    async def remove(self, player_id: str, other_id: str) -> None:
        """Ends a friendship."""
        await self._drop_both(player_id, other_id, (Kind.FRIEND,))

    async def block(self, player_id: str, other_id: str) -> None:
        """Blocks a player; friendship and requests between the two end.

        Raises:
            NotFoundError: `ACCOUNT_NOT_FOUND`.
            RuleViolationError: `LIST_FULL`.
        """
        async with self._store.changing() as changes:
            relations = changes.relations
            await relations.lock_both(player_id, other_id)
            if await relations.find(player_id, Kind.BLOCKED, other_id) is not None:
                return
            await _refuse_full(relations, player_id, Kind.BLOCKED, "blocked", BLOCKED_MAX)
            for one, two in ((player_id, other_id), (other_id, player_id)):
                await relations.drop(one, (Kind.FRIEND, *_REQUESTS), two)
            await relations.put(player_id, Kind.BLOCKED, other_id, self._clock_ms())

    async def unblock(self, player_id: str, other_id: str) -> None:
        """Takes a block back."""
        async with self._store.changing() as changes:
            await changes.relations.drop(player_id, (Kind.BLOCKED,), other_id)

    async def page(self, player_id: str, kind: Kind, after: Position | None, size: int) -> Sequence[Listed]:
        """Returns a page of one of a player's lists, newest first."""
        return await self._store.page_of_relations(player_id, kind, after, size)

    async def blocked_pairs(self, player_ids: Sequence[str]) -> list[tuple[str, str]]:
        """Returns the pairs among players of whom one has blocked the other, each once and in order."""
        return await self._store.blocked_pairs(player_ids)

    async def _befriend(self, relations: RelationRows, player_id: str, other_id: str) -> int:
        now_ms = self._clock_ms()
        for one, two in ((player_id, other_id), (other_id, player_id)):
            await _refuse_full(relations, one, Kind.FRIEND, "friends", FRIENDS_MAX)
            await relations.drop(one, _REQUESTS, two)
            await relations.put(one, Kind.FRIEND, two, now_ms)
        return now_ms

    async def _drop_both(self, player_id: str, other_id: str, kinds: Sequence[Kind]) -> None:
        async with self._store.changing() as changes:
            with suppress(NotFoundError):  # Nothing stands between a player and an account that is no more.
                await changes.relations.lock_both(player_id, other_id)
                for one, two in ((player_id, other_id), (other_id, player_id)):
                    await changes.relations.drop(one, kinds, two)


async def _refuse_blocked(relations: RelationRows, player_id: str, other_id: str) -> None:
    for one, two in ((player_id, other_id), (other_id, player_id)):
        if await relations.find(one, Kind.BLOCKED, two) is not None:
            raise errors.player_blocked(other_id)


async def _refuse_full(relations: RelationRows, player_id: str, kind: Kind, name: str, most: int) -> None:
    if await relations.count(player_id, kind) >= most:
        raise errors.list_full(name, most)
