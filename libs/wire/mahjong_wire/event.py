"""Events of a hand on the wire, each as one viewer may see it."""

from collections.abc import Callable
from typing import Any, Final

from mahjong_engine import event as engine
from mahjong_engine.match import MatchLength, is_last
from mahjong_engine.settlement import Item, SeatScore, WinClaim
from mahjong_engine.tile import CODES, Seat
from mahjong_engine.view import view_event
from mahjong_wire.action import codes, meld_to_proto
from mahjong_wire.words import ENDINGS, MELD_KINDS, WALLS, WIN_SOURCES
from mahjongplanet.game.v1 import terms_pb2 as game
from mahjongplanet.table.v1 import event_pb2 as pb


def hand_event_to_proto(event: engine.Event, seat: Seat | None, length: MatchLength) -> pb.TableEvent:
    """Returns an event as a seat may see it.

    Args:
        event: the event, hidden tiles and all.
        seat: the viewer's; None shows every drawn tile, for hands whose match is over. Dealt tiles are a seat's only.
        length: length of the match, which tells whether it ends with the hand.
    """
    if isinstance(event, engine.HandEnded):
        return pb.TableEvent(hand_ended=hand_ended_to_proto(event, length))
    seen = event if seat is None else view_event(event, seat)
    return _MAKERS[type(seen)](seen, seat)


def hand_ended_to_proto(ended: engine.HandEnded, length: MatchLength) -> pb.HandEnded:
    """Returns the end of a hand; the engine has left out what nobody may see."""
    return pb.HandEnded(
        ending=ENDINGS[ended.ended],
        winners=map(_winner, sorted(ended.wins, key=lambda win: win.seat)),
        seat_scores=map(_seat_score, ended.settlement.hands if ended.settlement else ()),
        changes=ended.changes,
        scores_after=ended.scores_after,
        shown_hands=[
            pb.ShownHand(seat=seat, concealed=codes(tiles))
            for seat, tiles in enumerate(ended.concealed)
            if tiles is not None
        ],
        match_over=is_last(length, ended.dealer_changes_after),
    )


def _winner(win: WinClaim) -> game.Winner:
    tile = "" if win.tile is None else CODES[win.tile]
    return game.Winner(seat=win.seat, tile=tile, source=WIN_SOURCES[win.source], from_seat=win.from_seat)


def _seat_score(score: SeatScore) -> game.SeatScore:
    return game.SeatScore(seat=score.seat, value=score.value, items=map(_item, score.items), limit=score.limit)


def _item(item: Item) -> game.ScoreItem:
    return game.ScoreItem(
        award=item.award, points=item.points, doubles=item.doubles, tai=item.tai, tiles=codes(item.tiles)
    )


def _hand_dealt(event: engine.HandDealt, seat: Seat | None) -> pb.TableEvent:
    dealt = pb.HandDealt(
        hand_number=event.hand,
        dealer=event.dealer,
        round_wind=CODES[event.round_wind],
        dealer_changes=event.dealer_changes,
        dealer_wins=event.dealer_wins,
        scores=event.scores,
        concealed_counts=event.concealed_counts,
        concealed=() if seat is None else codes(event.concealed[seat] or ()),
        live_tiles_left=event.live_tiles_left,
        reserve_tiles_left=event.reserve_tiles_left,
    )
    return pb.TableEvent(hand_dealt=dealt)


def _drew(event: engine.Drew, _: Seat | None) -> pb.TableEvent:
    drew = pb.Drew(
        seat=event.seat,
        tile="" if event.tile is None else CODES[event.tile],
        wall=WALLS[event.wall],
        live_tiles_left=event.live_tiles_left,
        reserve_tiles_left=event.reserve_tiles_left,
    )
    return pb.TableEvent(drew=drew)


def _bonus_shown(event: engine.BonusShown, _: Seat | None) -> pb.TableEvent:
    return pb.TableEvent(bonus_shown=pb.BonusShown(seat=event.seat, tile=CODES[event.tile]))


def _original_calls_made(event: engine.OriginalCallsMade, _: Seat | None) -> pb.TableEvent:
    return pb.TableEvent(original_calls_made=pb.OriginalCallsMade(seats=event.seats))


def _turn_started(event: engine.TurnStarted, _: Seat | None) -> pb.TableEvent:
    drawn = "" if event.drawn is None else CODES[event.drawn]
    return pb.TableEvent(turn_started=pb.TurnStarted(seat=event.seat, drawn=drawn))


def _discarded(event: engine.Discarded, _: Seat | None) -> pb.TableEvent:
    discarded = pb.Discarded(seat=event.seat, tile=CODES[event.tile], original_call=event.original_call)
    return pb.TableEvent(discarded=discarded)


def _claimed(event: engine.Claimed, _: Seat | None) -> pb.TableEvent:
    return pb.TableEvent(claimed=pb.Claimed(seat=event.seat, meld=meld_to_proto(event.meld)))


def _kong_declared(event: engine.KongDeclared, _: Seat | None) -> pb.TableEvent:
    declared = pb.KongDeclared(seat=event.seat, kind=MELD_KINDS[event.kind], tile=CODES[event.tile])
    return pb.TableEvent(kong_declared=declared)


def _kong_robbed(event: engine.KongRobbed, _: Seat | None) -> pb.TableEvent:
    return pb.TableEvent(kong_robbed=pb.KongRobbed(seat=event.seat, tile=CODES[event.tile]))


_MAKERS: Final[dict[type, Callable[[Any, Seat | None], pb.TableEvent]]] = {
    engine.HandDealt: _hand_dealt,
    engine.BonusShown: _bonus_shown,
    engine.Drew: _drew,
    engine.OriginalCallsMade: _original_calls_made,
    engine.TurnStarted: _turn_started,
    engine.Discarded: _discarded,
    engine.Claimed: _claimed,
    engine.KongDeclared: _kong_declared,
    engine.KongRobbed: _kong_robbed,
}
