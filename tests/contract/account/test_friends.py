"""Friends, requests and blocks."""

import asyncio
import uuid

import grpc
import pytest

from mahjong_account import migrations
from mahjong_account.relation_rows import Kind
from mahjong_account.store import AccountStore
from mahjong_kit.sql import open_database
from mahjongplanet.account.v1 import account_service_pb2 as account_pb
from mahjongplanet.account.v1 import friend_service_pb2 as pb
from tests.contract.account.people import guest
from tests.kit.wire import refused

RECEIVED, SENT = pb.REQUEST_DIRECTION_RECEIVED, pb.REQUEST_DIRECTION_SENT


@pytest.fixture
async def people(account):
    return [await guest(account, name) for name in ("Ann", "Bea", "Cat")]


async def ask(friends, one, two):
    request = pb.SendFriendRequestRequest(player_id=two.player_id)
    return (await friends.SendFriendRequest(request, metadata=one.me)).state


async def accept(friends, one, two):
    request = pb.AcceptFriendRequestRequest(player_id=two.player_id)
    return (await friends.AcceptFriendRequest(request, metadata=one.me)).friend


async def block(friends, one, two):
    await friends.BlockPlayer(pb.BlockPlayerRequest(player_id=two.player_id), metadata=one.me)


async def befriend(friends, one, two):
    await ask(friends, one, two)
    await accept(friends, two, one)


def names(relations):
    return [relation.profile.display_name for relation in relations]


async def friends_of(friends, one):
    return names((await friends.ListFriends(pb.ListFriendsRequest(), metadata=one.me)).friends)


async def requests_of(friends, one, direction):
    request = pb.ListFriendRequestsRequest(direction=direction)
    return names((await friends.ListFriendRequests(request, metadata=one.me)).requests)


async def test_request_is_seen_by_both_and_accepted_by_the_other(friends, people, clock):
    ann, bea, _ = people
    for _ in range(2):
        assert await ask(friends, ann, bea) == pb.FRIEND_STATE_REQUESTED
    assert await requests_of(friends, ann, SENT) == ["Bea"]
    assert await requests_of(friends, bea, RECEIVED) == ["Ann"]
    clock.now += 5
    friend = await accept(friends, bea, ann)
    assert (friend.profile, friend.create_time.seconds) == (ann.profile, int(clock.now))
    assert await accept(friends, bea, ann) == friend, "a repeated call changes nothing"
    assert await friends_of(friends, ann) == ["Bea"]
    assert await friends_of(friends, bea) == ["Ann"]
    for one in (ann, bea):
        assert await requests_of(friends, one, SENT) == await requests_of(friends, one, RECEIVED) == []
    with refused() as refusal:
        await ask(friends, ann, bea)
    assert (refusal.code, refusal.reason) == (grpc.StatusCode.ALREADY_EXISTS, "ALREADY_FRIENDS")


async def test_two_who_ask_each_other_at_once_are_friends(friends, people):
    ann, bea, _ = people
    states = await asyncio.gather(ask(friends, ann, bea), ask(friends, bea, ann))
    assert sorted(states) == [pb.FRIEND_STATE_REQUESTED, pb.FRIEND_STATE_FRIENDS]
    assert await friends_of(friends, ann) == ["Bea"]
    assert await friends_of(friends, bea) == ["Ann"]


@pytest.mark.parametrize("by_sender", [True, False])
async def test_request_is_declined_or_taken_back(friends, people, by_sender):
    ann, bea, _ = people
    await ask(friends, ann, bea)
    one, other = (ann, bea) if by_sender else (bea, ann)
    for _ in range(2):
        await friends.DeclineFriendRequest(pb.DeclineFriendRequestRequest(player_id=other.player_id), metadata=one.me)
    with refused() as refusal:
        await accept(friends, bea, ann)
    assert (refusal.code, refusal.reason) == (grpc.StatusCode.NOT_FOUND, "FRIEND_REQUEST_NOT_FOUND")
    assert refusal.metadata == {"player_id": ann.player_id}
    assert await requests_of(friends, ann, SENT) == []


async def test_nobody_accepts_what_they_asked_themselves(friends, people):
    ann, bea, _ = people
    await ask(friends, ann, bea)
    with refused() as refusal:
        await accept(friends, ann, bea)
    assert refusal.reason == "FRIEND_REQUEST_NOT_FOUND"


async def test_friendship_ends_for_both(friends, people):
    ann, bea, _ = people
    await befriend(friends, ann, bea)
    for _ in range(2):
        await friends.RemoveFriend(pb.RemoveFriendRequest(player_id=ann.player_id), metadata=bea.me)
    assert await friends_of(friends, ann) == await friends_of(friends, bea) == []


async def test_block_ends_the_friendship_and_keeps_both_from_asking(friends, people):
    ann, bea, _ = people
    await befriend(friends, ann, bea)
    for _ in range(2):
        await block(friends, ann, bea)
    assert await friends_of(friends, bea) == []
    for one, other in ((ann, bea), (bea, ann)):
        with refused() as refusal:
            await ask(friends, one, other)
        assert (refusal.code, refusal.reason) == (grpc.StatusCode.PERMISSION_DENIED, "PLAYER_BLOCKED")
    listed = await friends.ListBlockedPlayers(pb.ListBlockedPlayersRequest(), metadata=ann.me)
    assert names(listed.blocked) == ["Bea"]
    assert not (await friends.ListBlockedPlayers(pb.ListBlockedPlayersRequest(), metadata=bea.me)).blocked
    await friends.UnblockPlayer(pb.UnblockPlayerRequest(player_id=bea.player_id), metadata=ann.me)
    assert await ask(friends, bea, ann) == pb.FRIEND_STATE_REQUESTED


async def test_block_takes_open_requests_away(friends, people):
    ann, bea, _ = people
    await ask(friends, bea, ann)
    await block(friends, ann, bea)
    assert await requests_of(friends, bea, SENT) == await requests_of(friends, ann, RECEIVED) == []


async def test_service_learns_the_blocked_pairs_among_players(friends, people, issuer):
    ann, bea, cat = people
    await block(friends, ann, bea)
    await block(friends, bea, ann)
    await block(friends, cat, ann)

    async def pairs(*player_ids):
        request = pb.ListBlockedPairsRequest(player_ids=player_ids)
        found = (await friends.ListBlockedPairs(request, metadata=issuer.service())).pairs
        return [(pair.first_player_id, pair.second_player_id) for pair in found]

    ids = [person.player_id for person in people]
    expected = {tuple(sorted((ids[0], ids[1]))), tuple(sorted((ids[0], ids[2])))}
    assert await pairs(*ids, str(uuid.uuid4()), ids[0]) == sorted(expected)
    assert await pairs(ids[1], ids[2]) == await pairs() == []
    with refused() as refusal:
        await pairs(*["x"] * 1001)
    assert refusal.reason == "INVALID_FIELD"


async def test_blocked_pairs_are_no_business_of_players(friends, people):
    with refused() as refusal:
        await friends.ListBlockedPairs(pb.ListBlockedPairsRequest(), metadata=people[0].me)
    assert (refusal.code, refusal.reason) == (grpc.StatusCode.PERMISSION_DENIED, "CALLER_NOT_ALLOWED")


async def test_friends_are_listed_page_by_page_newest_first(account, friends, clock):
    ann = await guest(account, "Ann")
    for number in range(5):
        clock.now += number % 2  # Some at the same time.
        await befriend(friends, ann, await guest(account, f"Friend {number}"))
    seen, token = [], ""
    for _ in range(3):
        page = await friends.ListFriends(pb.ListFriendsRequest(page_size=2, page_token=token), metadata=ann.me)
        seen += names(page.friends)
        token = page.next_page_token
    assert token == ""
    assert sorted(seen) == [f"Friend {number}" for number in range(5)]
    assert set(seen[:2]) == {"Friend 3", "Friend 4"}


async def test_page_token_of_another_list_is_refused(account, friends, people):
    ann, bea, cat = people
    await befriend(friends, ann, bea)
    await befriend(friends, ann, cat)
    page = await friends.ListFriends(pb.ListFriendsRequest(page_size=1), metadata=ann.me)
    for call, request, caller in (
        (friends.ListFriends, pb.ListFriendsRequest(page_token=page.next_page_token), bea),
        (friends.ListBlockedPlayers, pb.ListBlockedPlayersRequest(page_token=page.next_page_token), ann),
        (friends.ListFriends, pb.ListFriendsRequest(page_token="x"), ann),
        (friends.ListFriends, pb.ListFriendsRequest(page_token="é" * 44), ann),
    ):
        with refused() as refusal:
            await call(request, metadata=caller.me)
        assert (refusal.code, refusal.reason) == (grpc.StatusCode.INVALID_ARGUMENT, "MALFORMED_PAGE_TOKEN")
    with refused() as refusal:
        await friends.ListFriends(pb.ListFriendsRequest(page_size=101), metadata=ann.me)
    assert refusal.reason == "PAGE_SIZE_OUT_OF_RANGE"
    with refused() as refusal:
        await friends.ListFriendRequests(pb.ListFriendRequestsRequest(), metadata=ann.me)
    assert (refusal.reason, refusal.metadata["field"]) == ("INVALID_FIELD", "direction")


async def test_strangers_ids_and_the_own_one_are_refused(friends, people):
    ann = people[0]
    for player_id, reason in (
        ("x", "INVALID_FIELD"),
        (ann.player_id, "INVALID_FIELD"),
        (str(uuid.uuid4()), "ACCOUNT_NOT_FOUND"),
    ):
        for call, request in (
            (friends.SendFriendRequest, pb.SendFriendRequestRequest(player_id=player_id)),
            (friends.BlockPlayer, pb.BlockPlayerRequest(player_id=player_id)),
        ):
            with refused() as refusal:
                await call(request, metadata=ann.me)
            assert refusal.reason == reason


async def test_hundred_and_first_open_request_finds_the_list_full(account, friends, monkeypatch):
    monkeypatch.setattr("mahjong_account.friends.SENT_MAX", 2)
    ann = await guest(account, "Ann")
    others = [await guest(account) for _ in range(3)]
    for other in others[:2]:
        await ask(friends, ann, other)
    with refused() as refusal:
        await ask(friends, ann, others[2])
    assert (refusal.code, refusal.reason) == (grpc.StatusCode.FAILED_PRECONDITION, "LIST_FULL")
    assert refusal.metadata == {"list": "requests", "limit": "2"}


async def test_friend_is_listed_under_the_new_name(account, friends, people):
    ann, bea, _ = people
    await befriend(friends, ann, bea)
    await account.SetMyDisplayName(account_pb.SetMyDisplayNameRequest(display_name="Zoe"), metadata=bea.me)
    assert await friends_of(friends, ann) == ["Zoe"]


async def test_who_declines_waits_for_the_request_that_is_being_written_and_takes_both_sides_away(
    settings, friends, people
):
    ann, bea, _ = people
    async with open_database(settings.database_dsn, migrations) as database:
        async with AccountStore(database).changing() as changes:
            await changes.relations.lock_both(ann.player_id, bea.player_id)
            request = pb.DeclineFriendRequestRequest(player_id=ann.player_id)
            declining = asyncio.ensure_future(friends.DeclineFriendRequest(request, metadata=bea.me))
            await changes.relations.put(ann.player_id, Kind.SENT, bea.player_id, 1)
            await asyncio.sleep(0.3)
            await changes.relations.put(bea.player_id, Kind.RECEIVED, ann.player_id, 1)
        await declining
    assert await requests_of(friends, ann, SENT) == await requests_of(friends, bea, RECEIVED) == []
