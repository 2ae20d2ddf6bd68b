"""Rooms and their invites, without a store."""

import dataclasses
import uuid

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mahjong_kit.errors import ServiceError
from mahjong_matchmaker.rooms import room as rules
from mahjong_matchmaker.rooms.invites import Link, Links, new_code, read_code
from mahjong_matchmaker.rooms.room import Person, Room, RoomState, Settings
from mahjongplanet.game.v1.terms_pb2 import Clock, ComputerLevel, MatchLength, RuleSet

SETTINGS = Settings(RuleSet.RULE_SET_CLASSICAL, Clock.CLOCK_UNTIMED, MatchLength.MATCH_LENGTH_ONE_HAND, public=True)
ROOM = Room(
    room_id=str(uuid.UUID(int=1)),
    settings=SETTINGS,
    seats=(Person("0", "Host"), None, ComputerLevel.COMPUTER_LEVEL_STRONG, None),
    host_id="0",
    code="7KQ2M9XD",
    invite_expires_at_ms=86_400_000,
    created_at_ms=0,
)

STEPS = st.tuples(st.sampled_from(["join", "leave", "kick", "move", "computer", "ready"]), *[st.integers(0, 5)] * 2)


def step(room, kind, one, other):
    """Does something to a room in the name of player `one`."""
    player, seat = str(one), other % 4
    match kind:
        case "join":
            return rules.joined(room, Person(player, "Somebody"))
        case "leave":
            return rules.left(room, player)
        case "kick":
            return rules.kicked(room, player, str(other))
        case "move":
            return rules.moved(room, player, seat)
        case "computer":
            return rules.with_computer(room, player, seat, None if other > 3 else ComputerLevel.COMPUTER_LEVEL_BASIC)
        case _:
            return rules.with_ready(room, player, ready=bool(other % 2))


@given(st.lists(STEPS, max_size=40))
def test_whatever_people_do_there_is_one_host_and_nobody_sits_twice(steps):
    room = ROOM
    for kind, one, other in steps:
        try:
            after = step(room, kind, one, other)
        except ServiceError:
            continue
        if after is None:
            assert [person.player_id for person in room.people] == [str(one)], "only the last one closes a room"
            return
        room = after
        players = [person.player_id for person in room.people]
        assert len(room.seats) == 4
        assert len(players) == len(set(players))
        assert room.host_id in players
        assert not set(players) & set(room.kept_out)
        assert Room.from_json(room.to_json()) == room


@pytest.mark.parametrize("state", [RoomState.STARTING, RoomState.PLAYING, RoomState.QUEUED])
def test_room_that_is_not_open_keeps_its_people_and_its_terms(state):
    room = dataclasses.replace(ROOM, state=state)
    for change in (
        lambda: rules.joined(room, Person("1", "New")),
        lambda: rules.moved(room, "0", 1),
        lambda: rules.with_ready(room, "0", ready=True),
        lambda: rules.with_invite(room, "0", "AAAAAAAA", 1),
        lambda: rules.check_ready(room, "0"),
    ):
        with pytest.raises(ServiceError, match="room not open"):
            change()
    assert rules.left(room, "0") is None, "leaving is always allowed"


def test_codes_are_read_as_they_were_given():
    codes = {new_code() for _ in range(1000)}
    assert len(codes) == 1000
    assert all(read_code(code) == code == read_code(f"{code[:4]} {code[4:]}".lower()) for code in codes)


@given(st.uuids(), st.integers(0, 2**32 - 1), st.integers(0, 2**32 - 1))
def test_links_say_what_was_signed_and_only_by_the_same_key(room_id, generation, expires_at_s):
    link = Link(str(room_id), generation, expires_at_s * 1000)
    text = Links("k" * 32).sign(link)
    assert Links("k" * 32).read(text) == link
    assert Links("l" * 32).read(text) is None
    assert len(text) <= 128


@given(st.text(max_size=128))
def test_any_other_text_is_no_link_and_no_error(text):
    assert Links("k" * 32).read(text) is None
