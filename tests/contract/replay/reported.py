"""Matches and how a table reports them."""

import json
import uuid
from collections.abc import Sequence
from dataclasses import dataclass

from google.protobuf.timestamp_pb2 import Timestamp

from mahjong_engine.match import MatchLength, places
from mahjongplanet.game.v1 import terms_pb2 as game
from mahjongplanet.replay.v1 import replay_service_pb2 as pb
from tests.kit.matches import EngineMatch, play_match

END_S = 1_796_000_000
RULE_SETS = {"classical": game.RULE_SET_CLASSICAL, "taiwanese": game.RULE_SET_TAIWANESE}
LENGTHS = {
    MatchLength.FULL: game.MATCH_LENGTH_FULL,
    MatchLength.EAST_ROUND: game.MATCH_LENGTH_EAST_ROUND,
    MatchLength.ONE_HAND: game.MATCH_LENGTH_ONE_HAND,
}


def new_id() -> str:
    return str(uuid.uuid4())


@dataclass(frozen=True)
class Reported:
    """A match with everything that a table reports of it."""

    match: EngineMatch
    players: tuple[str, ...]
    terms: pb.MatchTerms
    hands: tuple[pb.StoreHandRequest, ...]
    finish: pb.FinishMatchRequest

    @property
    def match_id(self) -> str:
        return self.match.match_id

    @property
    def start(self) -> pb.StartMatchRequest:
        return pb.StartMatchRequest(terms=self.terms)

    async def store_all(self, stub, issuer) -> None:
        for request in self.hands:
            await stub.StoreHand(request, metadata=issuer.service("table"), timeout=60)
        await stub.FinishMatch(self.finish, metadata=issuer.service("table"), timeout=60)


def reported(
    players: Sequence[str] | None = None,
    *,
    rules: str = "classical",
    length: MatchLength = MatchLength.ONE_HAND,
    end_s: int = END_S,
    kind: game.TableKind.ValueType = game.TABLE_KIND_CASUAL,
) -> Reported:
    """Plays a match of some people, and computers on the other seats."""
    match = play_match(new_id(), rules, length)
    people = (new_id(),) if players is None else tuple(players)
    occupants = [game.Occupant(player_id=p, display_name=f"Person {i}") for i, p in enumerate(people)]
    while len(occupants) < 4:
        name = f"Computer {len(occupants)}"
        occupants.append(game.Occupant(computer=game.COMPUTER_LEVEL_BASIC, display_name=name))
    terms = pb.MatchTerms(
        match_id=match.match_id,
        rule_set=RULE_SETS[rules],
        table_kind=kind,
        length=LENGTHS[length],
        occupants=occupants,
    )
    hands = tuple(_store_request(terms, number, record) for number, record in enumerate(match.records))
    scores = match.end.scores
    finish = pb.FinishMatchRequest(
        terms=terms,
        hand_count=len(hands),
        server_seed=match.derivation.server_seed,
        standings=[
            game.Standing(seat=seat, place=places(scores)[seat], score=scores[seat])
            for seat in sorted(range(4), key=lambda seat: -scores[seat])
        ],
        end_time=Timestamp(seconds=end_s, nanos=250_000_000),
    )
    return Reported(match, people, terms, hands, finish)


def _store_request(terms: pb.MatchTerms, number: int, record: dict[str, object]) -> pb.StoreHandRequest:
    hidden = {key: value for key, value in record.items() if key != "server_seed"}
    return pb.StoreHandRequest(terms=terms, hand_number=number, record_json=json.dumps(hidden).encode())
