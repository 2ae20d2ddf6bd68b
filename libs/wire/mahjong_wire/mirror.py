"""Keeps one viewer's picture of a hand up to date with the events of the hand.

Applying every event from the deal on gives the hand that a snapshot would show at that moment.
"""

from mahjong_engine.tile import TILES
from mahjongplanet.game.v1 import terms_pb2 as terms
from mahjongplanet.table.v1 import event_pb2 as pb


class HandMirror:
    """What one seat knows of a hand."""

    def __init__(self, seat: int, hand: pb.HandSnapshot) -> None:
        """Starts from a snapshot, which then changes with each event.

        Args:
            seat: the viewer's, 0-3.
            hand: the snapshot; an empty one before the deal.
        """
        self.seat = seat
        self.hand = hand

    def apply(self, event: pb.TableEvent) -> None:
        """Takes in one event; those that are no part of a hand change nothing."""
        name = event.WhichOneof("event") or ""
        take = getattr(self, f"_on_{name}", None)
        if take is not None:
            take(getattr(event, name))

    def _on_hand_dealt(self, event: pb.HandDealt) -> None:
        self.hand.CopyFrom(
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
        self.hand.seats[event.seat].bonus.append(event.tile)

    def _on_drew(self, event: pb.Drew) -> None:
        self.hand.seats[event.seat].concealed_count += 1
        self.hand.live_tiles_left, self.hand.reserve_tiles_left = event.live_tiles_left, event.reserve_tiles_left
        self._close_tile()
        if event.seat == self.seat:
            self.hand.concealed.append(event.tile)
            self.hand.concealed.sort(key=TILES.__getitem__)
            in_turn = self.hand.HasField("turn_seat") and self.hand.turn_seat == event.seat
            self.hand.drawn = event.tile if in_turn else ""  # In the opening nothing counts as drawn yet.

    def _on_original_calls_made(self, event: pb.OriginalCallsMade) -> None:
        for seat in event.seats:
            self.hand.seats[seat].original_call = True

    def _on_turn_started(self, event: pb.TurnStarted) -> None:
        self.hand.turn_seat = event.seat
        self.hand.drawn = event.drawn
        self._close_tile()

    def _on_discarded(self, event: pb.Discarded) -> None:
        seat = self.hand.seats[event.seat]
        self._hand_over(event.seat, [event.tile])
        seat.pond.append(event.tile)
        seat.original_call |= event.original_call
        self._open_tile(event.seat, event.tile)

    def _on_claimed(self, event: pb.Claimed) -> None:
        seats, meld = self.hand.seats, event.meld
        seats[meld.from_seat].pond.pop()
        rest = list(meld.tiles)
        rest.remove(meld.claimed_tile)
        self._hand_over(event.seat, rest)
        seats[event.seat].melds.append(meld)
        self._close_tile()

    def _on_kong_declared(self, event: pb.KongDeclared) -> None:
        seat = self.hand.seats[event.seat]
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
        seat = self.hand.seats[event.seat]
        position = next(
            i for i, m in enumerate(seat.melds) if m.tiles[0] == event.tile and m.kind != terms.MELD_KIND_CHOW
        )
        if seat.melds[position].kind == terms.MELD_KIND_PROMOTED_KONG:
            seat.melds[position].kind = terms.MELD_KIND_PUNG
            seat.melds[position].tiles.pop()
            return
        del seat.melds[position]
        seat.concealed_count += 3
        if event.seat == self.seat:
            self.hand.concealed.extend([event.tile] * 3)
            self.hand.concealed.sort(key=TILES.__getitem__)

    def _on_hand_ended(self, event: pb.HandEnded) -> None:
        self.hand.ClearField("turn_seat")
        self.hand.drawn = ""
        self._close_tile()
        for seat, score in zip(self.hand.seats, event.scores_after, strict=True):
            seat.score = score

    def _hand_over(self, seat: int, tiles: list[str]) -> None:
        """Takes tiles out of a seat's concealed tiles."""
        self.hand.seats[seat].concealed_count -= len(tiles)
        if seat == self.seat:
            for tile in tiles:
                self.hand.concealed.remove(tile)
            self.hand.drawn = ""

    def _open_tile(self, seat: int, tile: str) -> None:
        self.hand.open_tile = tile
        self.hand.open_tile_seat = seat

    def _close_tile(self) -> None:
        self.hand.open_tile = ""
        self.hand.ClearField("open_tile_seat")
