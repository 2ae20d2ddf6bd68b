"""Keeps one viewer's snapshot of a table up to date with the events of its stream.

Applying every event to the snapshot that came first gives the snapshot that the server would send now, clocks and
presence left out (those come as `TableStatus`).
"""

from collections.abc import Iterable, MutableSequence
from typing import Any

from mahjong_engine.tile import TILES
from mahjongplanet.game.v1 import terms_pb2 as terms
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
        name = event.WhichOneof("event")
        if name is not None:
            getattr(self, f"_on_{name}")(getattr(event, name))

    def _on_match_started(self, event: pb.MatchStarted) -> None:
        self.table.phase = pb.TABLE_PHASE_NONCES
        self.table.commitment = event.commitment
        self.table.phase_deadline_time.CopyFrom(event.nonce_deadline_time)

    def _on_hand_dealt(self, event: pb.HandDealt) -> None:
        table = self.table
        table.phase = pb.TABLE_PHASE_HAND
        table.ClearField("hand_ended")
        table.ClearField("phase_deadline_time")
        table.ClearField("confirmed_seats")
        table.hand.CopyFrom(
            pb.HandSnapshot(
                hand_number=event.hand_number,
                dealer=event.dealer,
                round_wind=event.round_wind,
                dealer_changes=event.dealer_changes,
                dealer_wins=event.dealer_wins,
                seats=[
                    pb.SeatView(
                        seat=seat,
                        wind="ESWN"[(seat - event.dealer) % 4],
                        score=event.scores[seat],
                        concealed_count=event.concealed_counts[seat],
                    )
                    for seat in range(4)
                ],
                concealed=event.concealed,
                live_tiles_left=event.live_tiles_left,
                reserve_tiles_left=event.reserve_tiles_left,
            )
        )

    def _on_bonus_shown(self, event: pb.BonusShown) -> None:
        self._hand_over(event.seat, [event.tile])
        self.table.hand.seats[event.seat].bonus.append(event.tile)

    def _on_drew(self, event: pb.Drew) -> None:
        hand = self.table.hand
        hand.seats[event.seat].concealed_count += 1
        hand.live_tiles_left, hand.reserve_tiles_left = event.live_tiles_left, event.reserve_tiles_left
        self._close_tile()
        if event.seat == self.table.seat:
            hand.concealed.append(event.tile)
            hand.concealed.sort(key=TILES.__getitem__)
            hand.drawn = event.tile

    def _on_original_calls_made(self, event: pb.OriginalCallsMade) -> None:
        for seat in event.seats:
            self.table.hand.seats[seat].original_call = True

    def _on_turn_started(self, event: pb.TurnStarted) -> None:
        self.table.hand.turn_seat = event.seat
        if event.drawn:
            self.table.hand.drawn = event.drawn
        self._close_tile()

    def _on_discarded(self, event: pb.Discarded) -> None:
        seat = self.table.hand.seats[event.seat]
        self._hand_over(event.seat, [event.tile])
        seat.pond.append(event.tile)
        seat.original_call |= event.original_call
        self._open_tile(event.seat, event.tile)

    def _on_claimed(self, event: pb.Claimed) -> None:
        seats, meld = self.table.hand.seats, event.meld
        seats[meld.from_seat].pond.pop()
        rest = list(meld.tiles)
        rest.remove(meld.claimed_tile)
        self._hand_over(event.seat, rest)
        seats[event.seat].melds.append(meld)
        self._close_tile()

    def _on_kong_declared(self, event: pb.KongDeclared) -> None:
        seat = self.table.hand.seats[event.seat]
        if event.kind == terms.MELD_KIND_CONCEALED_KONG:
            self._hand_over(event.seat, [event.tile] * 4)
            seat.melds.append(terms.Meld(kind=event.kind, tiles=[event.tile] * 4))
        else:
            self._hand_over(event.seat, [event.tile])
            meld = next(m for m in seat.melds if m.kind == terms.MELD_KIND_PUNG and m.tiles[0] == event.tile)
            meld.kind = event.kind
            meld.tiles.append(event.tile)
        self._open_tile(event.seat, event.tile)

    def _on_kong_robbed(self, event: pb.KongRobbed) -> None:
        hand = self.table.hand
        seat = hand.seats[event.seat]
        position = next(
            i for i, m in enumerate(seat.melds) if m.tiles[0] == event.tile and m.kind != terms.MELD_KIND_CHOW
        )
        if seat.melds[position].kind == terms.MELD_KIND_PROMOTED_KONG:
            seat.melds[position].kind = terms.MELD_KIND_PUNG
            seat.melds[position].tiles.pop()
            return
        del seat.melds[position]
        seat.concealed_count += 3
        if event.seat == self.table.seat:
            hand.concealed.extend([event.tile] * 3)
            hand.concealed.sort(key=TILES.__getitem__)

    def _on_hand_ended(self, event: pb.HandEnded) -> None:
        table = self.table
        table.phase = pb.TABLE_PHASE_RESULT
        table.hand_ended.CopyFrom(event)
        table.hand.ClearField("turn_seat")
        self._close_tile()
        for seat, score in zip(table.hand.seats, event.scores_after, strict=True):
            seat.score = score

    def _on_decision_opened(self, event: pb.DecisionOpened) -> None:
        self.table.decision.CopyFrom(event.decision)

    def _on_decision_closed(self, event: pb.DecisionClosed) -> None:
        if self.table.decision.decision_id == event.decision_id:
            self.table.ClearField("decision")

    def _on_match_ended(self, event: pb.MatchEnded) -> None:
        self.table.phase = pb.TABLE_PHASE_OVER
        self.table.match_ended.CopyFrom(event)
        self.table.ClearField("phase_deadline_time")

    def _hand_over(self, seat: int, tiles: list[str]) -> None:
        """Takes tiles out of a seat's concealed tiles."""
        hand = self.table.hand
        hand.seats[seat].concealed_count -= len(tiles)
        if seat == self.table.seat:
            for tile in tiles:
                hand.concealed.remove(tile)
            hand.drawn = ""

    def _open_tile(self, seat: int, tile: str) -> None:
        self.table.hand.open_tile = tile
        self.table.hand.open_tile_seat = seat

    def _close_tile(self) -> None:
        self.table.hand.open_tile = ""
        self.table.hand.ClearField("open_tile_seat")


def _replace(target: MutableSequence[Any], values: Iterable[Any]) -> None:
    del target[:]
    target.extend(values)
