"""SubmitAction, SubmitNonce, ConfirmResult and LeavePractice: every reason of the proto."""

import asyncio
import uuid

import grpc
import pytest

from mahjongplanet.game.v1 import terms_pb2 as game
from mahjongplanet.table.v1 import table_service_pb2 as pb
from tests.kit.table_client import plain_answer
from tests.kit.wire import refused

ABSENT_ID = "00000000-0000-0000-0000-000000000000"
DISCARD = game.ACTION_KIND_DISCARD


async def east_to_discard(house, count=4, **changed):
    """Opens a table and plays its opening; returns East and the others when East is asked for its first discard."""
    seats = await house.seats(count, **changed)
    await seats[0].until(lambda: seats[0].decision and seats[0].decision.phase == game.PHASE_TURN)
    return seats


def discard_of(seat):
    return next(option for option in seat.decision.options if option.kind == DISCARD)


async def test_an_accepted_answer_stands_in_the_callers_own_stream(any_house):
    east, *_ = await east_to_discard(any_house)
    decision_id, action = east.decision.decision_id, discard_of(east)
    sequence = await east.answer(action)
    event = await east.until(lambda: east.events.get(sequence))
    assert event.decision_closed.decision_id == decision_id
    assert event.decision_closed.action == action
    assert not event.decision_closed.timed_out


async def test_an_answer_that_is_sent_again_is_answered_as_the_first_time(any_house):
    east, *_ = await east_to_discard(any_house)
    decision_id, action, request_id = east.decision.decision_id, discard_of(east), str(uuid.uuid4())
    first = await east.answer(action, request_id=request_id)
    again = await east.answer(action, decision_id=decision_id, request_id=request_id)
    await any_house.restart()
    later = await east.answer(action, decision_id=decision_id, request_id=request_id)
    assert first == again == later


async def test_an_answer_that_is_sent_five_times_at_once_stands_once(house):
    east, *_ = await east_to_discard(house)
    decision_id, action, request_id = east.decision.decision_id, discard_of(east), str(uuid.uuid4())
    calls = [east.answer(action, decision_id=decision_id, request_id=request_id) for _ in range(5)]
    assert len(set(await asyncio.gather(*calls))) == 1
    await east.until_event("decision_closed")
    assert len(east.events_of("discarded")) == 1


@pytest.mark.parametrize("restarted", [False, True])
async def test_a_request_id_of_another_answer_is_refused(house, restarted):
    east, south, *_ = await east_to_discard(house)
    request_id = str(uuid.uuid4())
    await east.answer(discard_of(east), request_id=request_id)
    if restarted:
        await house.restart()
    with refused() as refusal:
        await south.answer(game.Action(kind=game.ACTION_KIND_PASS), decision_id="1.0.1", request_id=request_id)
    assert (refusal.code, refusal.reason) == (grpc.StatusCode.ALREADY_EXISTS, "REQUEST_ID_REUSED")
    assert refusal.metadata == {"request_id": request_id}


async def test_a_request_id_of_an_earlier_hand_is_refused_and_the_decision_stays_open(house):
    (seat,) = await house.seats(1, length=game.MATCH_LENGTH_EAST_ROUND)
    used = str(uuid.uuid4())
    await seat.until_asked()
    await seat.answer_plainly(used)
    await seat.play_hand(0)
    await seat.confirm(0)
    await seat.until_asked()
    decision = seat.decision
    with refused() as refusal:
        await seat.answer(plain_answer(decision), request_id=used)
    assert refusal.reason == "REQUEST_ID_REUSED"
    await seat.answer(plain_answer(decision), decision_id=decision.decision_id)


async def test_a_closed_decision_can_not_be_answered_again(house):
    east, *_ = await east_to_discard(house)
    decision_id, action = east.decision.decision_id, discard_of(east)
    await east.answer(action)
    with refused() as refusal:
        await east.answer(action, decision_id=decision_id)
    assert (refusal.code, refusal.reason) == (grpc.StatusCode.ABORTED, "DECISION_CLOSED")
    assert refusal.metadata["decision_id"] == decision_id


async def test_a_decision_that_was_never_asked_is_not_found(house):
    east, *_ = await east_to_discard(house)
    with refused() as refusal:
        await east.answer(discard_of(east), decision_id="0.7.1")
    assert (refusal.code, refusal.reason) == (grpc.StatusCode.NOT_FOUND, "DECISION_NOT_FOUND")
    assert refusal.metadata == {"decision_id": "0.7.1", "open_decision_id": east.decision.decision_id}


async def test_an_answer_out_of_turn_is_a_rule_violation(house):
    east, _, west, _ = await east_to_discard(house)
    with refused() as refusal:
        await west.answer(discard_of(east), decision_id=east.decision.decision_id)
    assert (refusal.code, refusal.reason) == (grpc.StatusCode.FAILED_PRECONDITION, "NOT_YOUR_TURN")
    assert refusal.metadata == {"seat": "2"}


async def test_a_player_of_another_table_is_not_seated(house):
    east, *_ = await east_to_discard(house)
    (stranger,) = await house.seats(1)
    with refused() as refusal:
        await stranger.answer(discard_of(east), decision_id=east.decision.decision_id, table_id=east.table_id)
    assert (refusal.code, refusal.reason) == (grpc.StatusCode.PERMISSION_DENIED, "NOT_SEATED")
    assert refusal.metadata == {"table_id": east.table_id}


@pytest.mark.parametrize("table_id", [ABSENT_ID, "no id", ""])
async def test_an_unknown_table_is_not_found(house, table_id):
    east, *_ = await east_to_discard(house)
    with refused() as refusal:
        request = pb.SubmitActionRequest(
            request_id=str(uuid.uuid4()), table_id=table_id, decision_id="0.0.1", action=discard_of(east)
        )
        await house.stub.SubmitAction(request, metadata=east.metadata)
    assert (refusal.code, refusal.reason) == (grpc.StatusCode.NOT_FOUND, "TABLE_NOT_FOUND")
    assert refusal.metadata == {"table_id": table_id}


def action(kind, **fields):
    return game.Action(kind=kind, **fields)


@pytest.mark.parametrize(
    ("wrong", "reason", "metadata"),
    [
        (action(DISCARD, tile="10b"), "MALFORMED_TILE", {"field": "action.tile", "tile": "10b"}),
        (action(DISCARD), "MALFORMED_TILE", {"field": "action.tile", "tile": ""}),
        (action(game.ACTION_KIND_CHOW, tiles=["1b", "x"]), "MALFORMED_TILE", {"field": "action.tiles", "tile": "x"}),
        (action(game.ACTION_KIND_UNSPECIFIED), "INVALID_FIELD", {"field": "action.kind"}),
        (action(77), "INVALID_FIELD", {"field": "action.kind"}),
        (action(game.ACTION_KIND_PASS, tile="1b"), "INVALID_FIELD", {"field": "action.tile"}),
        (action(game.ACTION_KIND_CHOW, tiles=["1b"]), "INVALID_FIELD", {"field": "action.tiles"}),
        (action(game.ACTION_KIND_CHOW, tiles=["2b", "1b"]), "INVALID_FIELD", {"field": "action.tiles"}),
        (action(game.ACTION_KIND_KONG, tile="1b"), "INVALID_FIELD", {"field": "action.kong_kind"}),
        (action(game.ACTION_KIND_KONG, tile="1b", kong_kind=1), "INVALID_FIELD", {"field": "action.kong_kind"}),
    ],
)
async def test_an_answer_that_is_none_is_refused_before_the_table_sees_it(house, wrong, reason, metadata):
    east, *_ = await east_to_discard(house)
    with refused() as refusal:
        await east.answer(wrong)
    assert (refusal.code, refusal.reason) == (grpc.StatusCode.INVALID_ARGUMENT, reason)
    assert metadata.items() <= refusal.metadata.items()


@pytest.mark.parametrize(
    ("field", "value"), [("request_id", ""), ("request_id", "x" * 36), ("decision_id", ""), ("decision_id", "x" * 33)]
)
async def test_a_request_without_its_ids_is_refused(house, field, value):
    east, *_ = await east_to_discard(house)
    fields = {
        "request_id": str(uuid.uuid4()),
        "table_id": east.table_id,
        "decision_id": east.decision.decision_id,
        "action": discard_of(east),
    }
    with refused() as refusal:
        await house.stub.SubmitAction(pb.SubmitActionRequest(**(fields | {field: value})), metadata=east.metadata)
    assert (refusal.reason, refusal.metadata["field"]) == ("INVALID_FIELD", field)


async def test_a_request_without_an_action_is_refused(house):
    east, *_ = await east_to_discard(house)
    with refused() as refusal:
        request = pb.SubmitActionRequest(request_id=str(uuid.uuid4()), table_id=east.table_id, decision_id="0.0.1")
        await house.stub.SubmitAction(request, metadata=east.metadata)
    assert (refusal.reason, refusal.metadata["field"]) == ("INVALID_FIELD", "action")


async def test_an_illegal_answer_is_refused_and_the_decision_stays_open(house):
    east, *_ = await east_to_discard(house)
    decision = east.decision
    held = {option.tile for option in decision.options if option.kind == DISCARD}
    missing = next(
        code for code in ("1b", "2b", "3b", "4b", "5b", "6b", "7b", "8b", "9b", "E", "S", "W") if code not in held
    )
    with refused() as refusal:
        await east.answer(action(DISCARD, tile=missing))
    assert (refusal.code, refusal.reason) == (grpc.StatusCode.FAILED_PRECONDITION, "TILE_NOT_IN_HAND")
    assert refusal.metadata == {"seat": "0", "tile": missing}
    with refused() as refusal:
        await east.answer(action(game.ACTION_KIND_PUNG))
    assert (refusal.reason, refusal.metadata) == ("ILLEGAL_ACTION", {"seat": "0"})
    with refused() as refusal:
        await east.answer(action(game.ACTION_KIND_WIN))
    assert (refusal.reason, refusal.metadata) == ("NOT_A_WIN", {"seat": "0"})
    assert await east.answer(discard_of(east), decision_id=decision.decision_id)


async def test_an_original_call_of_a_hand_that_is_not_ready_is_refused(house):
    east, *_ = await east_to_discard(house)
    tile = next(o.tile for o in east.decision.options if o.kind == DISCARD)
    assert not any(o.original_call for o in east.decision.options)
    with refused() as refusal:
        await east.answer(action(DISCARD, tile=tile, original_call=True))
    assert (refusal.reason, refusal.metadata) == ("NOT_READY", {"seat": "0"})


async def test_the_first_nonce_of_a_seat_stands(open_house):
    async with open_house(nonce_window_ms=60_000) as house:
        one, two = await house.seats(2)
        await one.give_nonce(b"1" * 32)
        await one.give_nonce(b"1" * 32)
        with refused() as refusal:
            await one.give_nonce(b"2" * 32)
        assert (refusal.code, refusal.reason) == (grpc.StatusCode.FAILED_PRECONDITION, "NONCE_CLOSED")
        await two.give_nonce(b"2" * 32)
        await one.until_event("hand_dealt")
        await one.give_nonce(b"1" * 32)


@pytest.mark.parametrize("nonce", [b"", b"1" * 31, b"1" * 33])
async def test_a_nonce_of_another_size_is_refused(house, nonce):
    (seat,) = await house.seats(1)
    with refused() as refusal:
        await seat.give_nonce(nonce)
    assert (refusal.reason, refusal.metadata["field"]) == ("INVALID_FIELD", "nonce")


async def test_a_result_is_confirmed_once_and_only_while_it_is_shown(house):
    (seat,) = await house.seats(1, length=game.MATCH_LENGTH_EAST_ROUND)
    with refused() as refusal:
        await seat.confirm(0)
    assert (refusal.code, refusal.reason) == (grpc.StatusCode.FAILED_PRECONDITION, "NO_RESULT_OPEN")
    assert refusal.metadata == {"hand_number": "0"}
    await seat.play_hand(0)
    await seat.confirm(0)
    await seat.until(lambda: len(seat.events_of("hand_dealt")) == 2)
    await seat.confirm(0)


async def test_only_practice_can_be_left(house):
    (seat,) = await house.seats(1)
    with refused() as refusal:
        await house.stub.LeavePractice(pb.LeavePracticeRequest(table_id=seat.table_id), metadata=seat.metadata)
    assert (refusal.code, refusal.reason) == (grpc.StatusCode.FAILED_PRECONDITION, "ILLEGAL_ACTION")


async def test_commands_after_the_match_are_refused_as_such(house):
    (seat,) = await house.seats(1, table_kind=game.TABLE_KIND_PRACTICE)
    decision = await seat.until_asked()
    leave = pb.LeavePracticeRequest(table_id=seat.table_id)
    await house.stub.LeavePractice(leave, metadata=seat.metadata)
    assert await seat.until_ended() is True
    for _ in range(2):
        with refused() as refusal:
            await seat.answer(plain_answer(decision), decision_id=decision.decision_id)
        assert (refusal.code, refusal.reason) == (grpc.StatusCode.FAILED_PRECONDITION, "MATCH_OVER")
        with refused() as refusal:
            await house.stub.LeavePractice(leave, metadata=seat.metadata)
        assert refusal.reason == "MATCH_OVER"
        with refused() as refusal:
            await seat.confirm(0)
        assert refusal.reason == "NO_RESULT_OPEN"
        await house.restart()


async def test_the_last_answer_of_a_match_can_be_sent_again_after_its_end(house):
    (seat,) = await house.seats(1)
    answered = []
    while not seat.ended:
        await seat.until(lambda: seat.decision or seat.ended)
        if seat.decision is not None:
            decision, request_id = seat.decision, str(uuid.uuid4())
            if (sequence := await seat.answer_plainly(request_id)) is not None:
                answered.append((plain_answer(decision), decision.decision_id, request_id, sequence))
    choice, decision_id, request_id, sequence = answered[-1]
    assert await seat.answer(choice, decision_id=decision_id, request_id=request_id) == sequence
    await house.restart()
    assert await seat.answer(choice, decision_id=decision_id, request_id=request_id) == sequence


async def test_a_full_mailbox_refuses_and_loses_nothing(open_house):
    async with open_house(mailbox_max=1, commit_linger_ms=50) as house:
        (seat,) = await house.seats(1)
        decision = await seat.until_asked()
        calls = [seat.answer(plain_answer(decision), decision_id=decision.decision_id) for _ in range(12)]
        outcomes = await asyncio.gather(*calls, return_exceptions=True)
        accepted = [outcome for outcome in outcomes if isinstance(outcome, int)]
        busy = [
            o
            for o in outcomes
            if isinstance(o, grpc.aio.AioRpcError) and o.code() is grpc.StatusCode.RESOURCE_EXHAUSTED
        ]
        assert len(accepted) == 1
        assert busy
