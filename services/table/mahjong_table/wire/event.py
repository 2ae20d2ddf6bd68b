"""Events on the wire, each as one viewer may see it."""

from mahjong_engine.match import MatchLength
from mahjong_engine.view import view_event
from mahjong_kit.times import timestamp, timestamp_or_none
from mahjong_table.core.notice import (
    DecisionClosed,
    DecisionOpened,
    MatchEnded,
    MatchStarted,
    Notice,
    Question,
    TableEvent,
)
from mahjong_wire.action import action_to_proto
from mahjong_wire.event import hand_event_to_proto
from mahjong_wire.words import PHASES
from mahjongplanet.game.v1 import terms_pb2 as game
from mahjongplanet.table.v1 import event_pb2 as pb


class EventEncoder:
    """Serialises the events of notices as their viewers may see them; one that several see alike, once."""

    def __init__(self, length: MatchLength) -> None:
        self._length = length
        self._known: dict[int, tuple[TableEvent, bytes]] = {}
        """By identity: what viewers may see, and that serialised."""

    def encoded(self, notice: Notice) -> bytes:
        """Returns the event of a notice, a serialised `TableEvent`."""
        seen = _seen(notice)
        known = self._known.get(id(seen))
        if known is None:
            known = self._known[id(seen)] = seen, event_to_proto(notice, self._length).SerializeToString()
        return known[1]


def _seen(notice: Notice) -> TableEvent:
    """Returns what the viewer may see: the very event of the notice if nothing of it is hidden, else one of its own."""
    if isinstance(notice.event, MatchStarted | DecisionOpened | DecisionClosed | MatchEnded):
        return notice.event
    return view_event(notice.event, notice.seat)


def event_to_proto(notice: Notice, length: MatchLength) -> pb.TableEvent:
    """Returns the event of a notice as its viewer may see it."""
    event = notice.event
    match event:
        case MatchStarted(commitment, deadline):
            started = pb.MatchStarted(commitment=commitment, nonce_deadline_time=timestamp(deadline))
            return pb.TableEvent(match_started=started)
        case DecisionOpened(question):
            return pb.TableEvent(decision_opened=pb.DecisionOpened(decision=question_to_proto(question)))
        case DecisionClosed(decision_id, action, timed_out):
            given = None if action is None else action_to_proto(action)
            closed = pb.DecisionClosed(decision_id=decision_id, action=given, timed_out=timed_out)
            return pb.TableEvent(decision_closed=closed)
        case MatchEnded():
            return pb.TableEvent(match_ended=match_ended_to_proto(event))
    return hand_event_to_proto(event, notice.seat, length)


def question_to_proto(question: Question) -> pb.Decision:
    """Returns an open decision; only its own seat may get it."""
    return pb.Decision(
        decision_id=question.decision_id,
        phase=PHASES[question.decision.phase],
        options=map(action_to_proto, question.decision.options),
        deadline_time=timestamp_or_none(question.window.deadline),
        base_end_time=timestamp_or_none(question.window.base_end),
    )


def match_ended_to_proto(ended: MatchEnded) -> pb.MatchEnded:
    """Returns the end of a match, seed and all."""
    standings = [game.Standing(seat=p.seat, place=p.place, score=p.score) for p in ended.places]
    return pb.MatchEnded(standings=standings, server_seed=ended.server_seed, nonces=ended.nonces)
