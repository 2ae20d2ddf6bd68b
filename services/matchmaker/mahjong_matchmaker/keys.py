"""Names of the matchmaker's keys.

All carry one hash tag, so that a script may touch a player's ticket and a pool at once on a cluster too; see
docs/decisions/matchmaker-keys.md.
"""

from typing import Final

from mahjong_matchmaker.pools import Pool

_TAG: Final = "{matchmaker}"

SEQUENCE: Final = f"{_TAG}:sequence"
"""Counts tickets, to order those of one millisecond."""


def ticket(player_id: str) -> str:
    """Hash: the newest ticket of a player. There is no other, so nobody can have two."""
    return f"{_TAG}:ticket:{player_id}"


def join_request(player_id: str, request_id: str) -> str:
    """Text: id of the ticket that a JoinQueue got."""
    return f"{_TAG}:join:{player_id}:{request_id}"


def practice_request(player_id: str, request_id: str) -> str:
    """Text: the match that a StartPractice got."""
    return f"{_TAG}:practice:{player_id}:{request_id}"


def queue(pool: Pool) -> str:
    """Sorted set: players who wait in a pool, by their order."""
    return f"{_TAG}:pool:{pool.name}:queue"


def expiry(pool: Pool) -> str:
    """Sorted set: the same players, by the time (ms) at which their tickets expire unless watched."""
    return f"{_TAG}:pool:{pool.name}:expiry"


def typical_wait(pool: Pool) -> str:
    """Number: how long (ms) tickets of a pool have waited of late, smoothed; expires when nobody is seated."""
    return f"{_TAG}:pool:{pool.name}:typical-wait"


def met(player_id: str) -> str:
    """List: whom a player has met in quick play of late, newest first; expires."""
    return f"{_TAG}:met:{player_id}"


def no_shows_of_match(match_id: str) -> str:
    """Text: there if a match's missing players were reported; expires."""
    return f"{_TAG}:no-shows:{match_id}"


def seated_in(number: int) -> str:
    """Number: people who were seated at rated tables in a while (`cool_downs`); expires."""
    return f"{_TAG}:seated:{number}"


def missing_in(number: int) -> str:
    """Number: those of them who did not come; expires."""
    return f"{_TAG}:missing:{number}"


def cool_down(player_id: str) -> str:
    """Hash: a player's no-shows of late, and until when rated pools refuse them; expires."""
    return f"{_TAG}:cool-down:{player_id}"


def matches(pool: Pool) -> str:
    """Hash: matches of a pool whose tables are being made, by match id."""
    return f"{_TAG}:pool:{pool.name}:matches"


def lease(pool: Pool) -> str:
    """Text: token of the replica that leads a pool; expires."""
    return f"{_TAG}:pool:{pool.name}:lease"


def fence(pool: Pool) -> str:
    """Number: the last token that was given for a pool."""
    return f"{_TAG}:pool:{pool.name}:fence"


def room(room_id: str) -> str:
    """Hash: a room and its version; expires."""
    return f"{_TAG}:room:{room_id}"


def room_watchers(room_id: str) -> str:
    """Hash: when (ms) each person last watched the room."""
    return f"{_TAG}:room:{room_id}:watchers"


def room_request(player_id: str, request_id: str) -> str:
    """Text: id of the room that a CreateRoom opened."""
    return f"{_TAG}:room-request:{player_id}:{request_id}"


def room_wish(player_id: str, request_id: str) -> str:
    """Text: what a CreateRoom has asked for."""
    return f"{room_request(player_id, request_id)}:wish"


def player_room(player_id: str) -> str:
    """Text: id of the room that a player went into last; the player is in it only if the room says so too."""
    return f"{_TAG}:player-room:{player_id}"


def invite(code: str) -> str:
    """Text: id of the room that an invite code was given to; it leads there only while the room has it."""
    return f"{_TAG}:invite:{code}"


PUBLIC_ROOMS: Final = f"{_TAG}:rooms:public"
"""Sorted set: rooms that strangers may find, by their order; closed ones are removed when a list comes to them."""


def limit(name: str, player_id: str) -> str:
    """Number: how often a player did something in the current while; expires with it."""
    return f"{_TAG}:limit:{name}:{player_id}"
