"""Keeps one viewer's snapshot of a table up to date with the events of its stream.

Applying every event to the snapshot that came first gives the snapshot that the server would send now, clocks and
presence left out (those come as `TableStatus`).
"""

from collections.abc import Iterable, MutableSequence
from typing import Any

from mahjong_wire.mirror import HandMirror
from mahjongplanet.table.v1 import event_pb2 as pb
from mahjongplanet.table.v1 import table_service_pb2 as service


class Mirror:
    """What one viewer knows of a table. `table` is the snapshot, `epoch` and `sequence` say where the stream stands."""

    def __init__(self) -> None:
        self.table = pb.TableSnapshot()
        self.epoch = 0
        self.sequence = 0

    def apply(self, message: service.WatchTableResponse) -> str:
        """Takes in one message and returns the name of its payload.

        Raises:
            ValueError: an event does not follow on the last one.
        """
        payload = message.WhichOneof("payload") or ""
        match payload:
            case "snapshot":
                self.table.CopyFrom(message.snapshot)
                self.epoch, self.sequence = message.epoch, message.sequence
            case "event":
                if (message.epoch, message.sequence) != (self.epoch, self.sequence + 1):
                    raise ValueError(f"event {message.sequence} does not follow {self.sequence}")
                self.sequence = message.sequence
                self._apply_event(message.event)
            case "status":
                self._apply_status(message.status)
        return payload

    def _apply_status(self, status: service.TableStatus) -> None:
        table = self.table
        _replace(table.clocks, status.clocks)
        _replace(table.connected, status.connected)
        _replace(table.confirmed_seats, status.confirmed_seats)
        table.phase = status.phase
        if status.HasField("phase_deadline_time"):
            table.phase_deadline_time.CopyFrom(status.phase_deadline_time)
        else:
            table.ClearField("phase_deadline_time")

    def _apply_event(self, event: pb.TableEvent) -> None:
        name = event.WhichOneof("event") or ""
        take = getattr(self, f"_on_{name}", None)
        if take is not None:
            take(getattr(event, name))
        HandMirror(self.table.seat, self.table.hand).apply(event)

    def _on_match_started(self, event: pb.MatchStarted) -> None:
        self.table.phase = pb.TABLE_PHASE_NONCES
        self.table.commitment = event.commitment
        self.table.phase_deadline_time.CopyFrom(event.nonce_deadline_time)

    def _on_hand_dealt(self, _: pb.HandDealt) -> None:
        table = self.table
        table.phase = pb.TABLE_PHASE_HAND
        table.ClearField("hand_ended")
        table.ClearField("phase_deadline_time")
        table.ClearField("confirmed_seats")

    def _on_hand_ended(self, event: pb.HandEnded) -> None:
        table = self.table
        table.phase = pb.TABLE_PHASE_RESULT
        table.hand_ended.CopyFrom(event)

    def _on_decision_opened(self, event: pb.DecisionOpened) -> None:
        self.table.decision.CopyFrom(event.decision)

    def _on_decision_closed(self, event: pb.DecisionClosed) -> None:
        if self.table.decision.decision_id == event.decision_id:
            self.table.ClearField("decision")

    def _on_match_ended(self, event: pb.MatchEnded) -> None:
        self.table.phase = pb.TABLE_PHASE_OVER
        self.table.match_ended.CopyFrom(event)
        self.table.ClearField("phase_deadline_time")


def _replace(target: MutableSequence[Any], values: Iterable[Any]) -> None:
    del target[:]
    target.extend(values)
