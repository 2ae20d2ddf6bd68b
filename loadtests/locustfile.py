"""People who sign in as guests, queue and play real matches through the gateway: `make load`.

Each answer is the engine's computer player's, from what the person's own stream has shown. An answer is wrong or lost
if it is refused for any reason but that the table went on first, if a repetition of it stands elsewhere, or if the
stream ends without it; so is any event out of turn. One such answer and the exit status is 1.
"""
# ruff: noqa: E402 - gRPC must be told of gevent first

import grpc.experimental.gevent

grpc.experimental.gevent.init_gevent()  # Before any channel.

import time
import uuid
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from random import Random
from typing import Any

import gevent
import grpc
from locust import User, constant, events, task
from locust.env import Environment

from mahjong_cli.play.computer import chosen
from mahjong_cli.play.mirror import Mirror
from mahjong_kit.errors import reason_of
from mahjongplanet.account.v1 import account_service_pb2 as account
from mahjongplanet.account.v1.account_service_pb2_grpc import AccountServiceStub
from mahjongplanet.game.v1 import terms_pb2 as terms
from mahjongplanet.matchmaker.v1 import matchmaker_service_pb2 as matchmaker
from mahjongplanet.matchmaker.v1.matchmaker_service_pb2_grpc import MatchmakerServiceStub
from mahjongplanet.table.v1 import event_pb2
from mahjongplanet.table.v1 import table_service_pb2 as table
from mahjongplanet.table.v1.table_service_pb2_grpc import TableServiceStub

LEVEL = "basic"
CALL_TIMEOUT_S = 15.0
REFRESH_BEFORE = timedelta(minutes=1)
STREAM_PAUSE_S = 0.2
REPEATED_SHARE = 0.1
"""So many answers are sent again with the same request id, as after a lost acknowledgement."""
TOO_LATE = frozenset({"ERROR_REASON_DECISION_CLOSED", "ERROR_REASON_MATCH_OVER", "ERROR_REASON_NO_RESULT_OPEN"})
"""The table went on first: another seat's claim, or the clock."""


class Tally:
    """What became of all answers of a run."""

    def __init__(self) -> None:
        self.acknowledged = self.repeated = self.too_late = self.matches = self.hands = self.lost_streams = 0
        self.wrong: list[str] = []


TALLY = Tally()


class Person(User):
    """One guest, who plays one match after another."""

    wait_time = constant(1)
    host = "127.0.0.1:8081"

    def on_start(self) -> None:
        """Signs in."""
        options = (("grpc.use_local_subchannel_pool", 1),)  # As if each person had a device.
        self._channel = grpc.insecure_channel(str(self.host), options)
        self._accounts = AccountServiceStub(self._channel)
        self._matchmaker = MatchmakerServiceStub(self._channel)
        self._tables = TableServiceStub(self._channel)
        self._tokens = self._call(self._accounts.CreateGuest, account.CreateGuestRequest(display_name="Load")).session

    def on_stop(self) -> None:
        """Goes away, as people do, in the middle of a match."""
        self._channel.close()

    @task
    def play(self) -> None:
        """Queues for a casual table and plays its match to the end."""
        _Seat(self, self._find_table()).play()
        TALLY.matches += 1

    def _find_table(self) -> str:
        request = matchmaker.JoinQueueRequest(request_id=str(uuid.uuid4()), rule_set=terms.RULE_SET_CLASSICAL)
        ticket = self._call(self._matchmaker.JoinQueue, request, signed=True).ticket
        started = time.perf_counter()
        watched = matchmaker.WatchTicketRequest(ticket_id=ticket.ticket_id)
        for update in self._matchmaker.WatchTicket(watched, metadata=self.metadata()):
            ticket = update.ticket
        self.tell("seated (queue)", started, None)
        if ticket.state != matchmaker.TICKET_STATE_MATCHED:
            raise RuntimeError(f"the ticket ended as {matchmaker.TicketState.Name(ticket.state)}")
        return ticket.table_id

    def metadata(self) -> tuple[tuple[str, str], ...]:
        """Returns the call metadata that signs the person in; refreshes the session first if it is about to expire."""
        if self._tokens.access_expire_time.ToDatetime(UTC) - datetime.now(UTC) < REFRESH_BEFORE:
            request = account.RefreshSessionRequest(refresh_token=self._tokens.refresh_token)
            self._tokens = self._call(self._accounts.RefreshSession, request).session
        return (("authorization", f"Bearer {self._tokens.access_token}"),)

    def watch(self, table_id: str, mirror: Mirror) -> Iterator[table.WatchTableResponse]:
        """Opens the stream of a table, from where the mirror stands."""
        request = table.WatchTableRequest(table_id=table_id, epoch=mirror.epoch, after_sequence=mirror.sequence)
        return self._tables.WatchTable(request, metadata=self.metadata())

    def submit(self, request: table.SubmitActionRequest) -> int | None:
        """Answers a decision; returns where the answer stands, None if the table went on first."""
        answer = self._call(self._tables.SubmitAction, request, signed=True)
        return None if answer is None else int(answer.sequence)

    def confirm(self, table_id: str, hand: int) -> None:
        """Has seen a result."""
        request = table.ConfirmResultRequest(table_id=table_id, hand_number=hand)
        self._call(self._tables.ConfirmResult, request, signed=True)

    def tell(self, name: str, started: float, error: Exception | None) -> None:
        """Tells locust of a call."""
        delay_ms = 1000 * (time.perf_counter() - started)
        self.environment.events.request.fire(
            request_type="grpc", name=name, response_time=delay_ms, response_length=0, exception=error
        )

    def _call(self, method: Callable[..., Any], request: Any, *, signed: bool = False) -> Any:
        """Calls; returns None if the table went on first. Locust stops the person after any other refusal."""
        name = type(request).__name__.removesuffix("Request")
        started = time.perf_counter()
        try:
            answer = method(request, timeout=CALL_TIMEOUT_S, metadata=self.metadata() if signed else ())
        except grpc.RpcError as error:
            if reason_of(error) in TOO_LATE:
                TALLY.too_late += 1
                self.tell(name, started, None)
                return None
            TALLY.wrong.append(f"{name}: {error.code().name} {reason_of(error)}")
            self.tell(name, started, error)
            raise
        self.tell(name, started, None)
        return answer


class _Seat:
    """One person's match."""

    def __init__(self, person: Person, table_id: str) -> None:
        self._person = person
        self._table_id = table_id
        self._mirror = Mirror()
        self._chance = Random(table_id)
        self._met = ""
        self._stands_at = 0

    def play(self) -> None:
        while self._mirror.table.phase != event_pb2.TABLE_PHASE_OVER:
            try:
                self._watch()
            except ValueError as error:
                TALLY.wrong.append(f"event out of turn: {error}")
                return
            except grpc.RpcError as error:
                if error.code() is not grpc.StatusCode.UNAVAILABLE:
                    TALLY.wrong.append(f"WatchTable: {error.code().name} {reason_of(error)}")
                    raise
                TALLY.lost_streams += 1
                gevent.sleep(STREAM_PAUSE_S)
        if self._mirror.sequence < self._stands_at:
            TALLY.wrong.append(f"the stream ended at {self._mirror.sequence}, an answer stands at {self._stands_at}")

    def _watch(self) -> None:
        """Follows one stream to its end."""
        for message in self._person.watch(self._table_id, self._mirror):
            if self._mirror.apply(message) == "resync":
                self._mirror.epoch = self._mirror.sequence = 0
            self._react(self._mirror.table)

    def _react(self, seen: event_pb2.TableSnapshot) -> None:
        if seen.HasField("decision"):
            if self._met != seen.decision.decision_id:
                self._met = seen.decision.decision_id
                self._answer(seen)
        elif seen.phase == event_pb2.TABLE_PHASE_RESULT and self._met != f"result {seen.hand.hand_number}":
            self._met = f"result {seen.hand.hand_number}"
            TALLY.hands += 1
            self._person.confirm(self._table_id, seen.hand.hand_number)

    def _answer(self, seen: event_pb2.TableSnapshot) -> None:
        request = table.SubmitActionRequest(
            request_id=str(uuid.uuid4()),
            table_id=self._table_id,
            decision_id=seen.decision.decision_id,
            action=chosen(LEVEL, seen),
        )
        stands_at = self._person.submit(request)
        if stands_at is None:
            return
        TALLY.acknowledged += 1
        self._stands_at = max(self._stands_at, stands_at)
        if self._chance.random() < REPEATED_SHARE:
            TALLY.repeated += 1
            if (again := self._person.submit(request)) != stands_at:
                TALLY.wrong.append(f"an answer stands at {stands_at}; its repetition was told {again}")


@events.quitting.add_listener
def _judge(environment: Environment, **_: object) -> None:
    print(
        f"\nanswers acknowledged {TALLY.acknowledged}, repeated {TALLY.repeated}, too late {TALLY.too_late}, "
        f"hands {TALLY.hands}, whole matches {TALLY.matches}, "
        f"streams lost {TALLY.lost_streams}, wrong or lost {len(TALLY.wrong)}"
    )
    for problem in TALLY.wrong[:10]:
        print(f"  {problem}")
    if TALLY.wrong or not TALLY.acknowledged:
        environment.process_exit_code = 1
