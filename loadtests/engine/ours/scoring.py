"""Scores of winning hands, itemised, of the best arrangement; and the whole settlement of four seats."""

import random
from collections.abc import Iterator

from loadtests.engine import samples
from loadtests.engine.contest import OURS, Contender
from mahjong_engine.classical import winner as classical_winner
from mahjong_engine.keys import keys_of, remove
from mahjong_engine.meld import Meld, MeldKind
from mahjong_engine.rule_set import RuleSet, rule_set
from mahjong_engine.settlement import ScoringCase, SeatTiles, WinClaim, WinSource
from mahjong_engine.taiwanese import winner as taiwanese_winner
from mahjong_engine.tile import FLOWERS, SEASONS, WINDS, Seat, Tile
from tests.unit.engine import plain

KINDS = {"chow": MeldKind.CHOW, "pung": MeldKind.PUNG, "kong": MeldKind.CLAIMED_KONG}
WINNER, DISCARDER = Seat(0), Seat(2)
POND_TILES = 30


def contenders() -> list[Contender]:
    """Returns every question of this group."""
    return [
        *_contenders(14, rule_set("classical"), classical_winner.score_winner, samples.SCORE_14),
        *_contenders(17, rule_set("taiwanese"), taiwanese_winner.score_winner, samples.SCORE_17),
    ]


def _contenders(size: int, rules: RuleSet, score_winner, sample: samples.Sample) -> Iterator[Contender]:
    yield Contender(
        OURS,
        f"score{size}",
        sample,
        lambda score: scoring_case(rules, score),
        lambda case: score_winner(case, case.wins[0]),
        lambda _, answer: answer.value > 0,
    )
    yield Contender(
        OURS,
        f"settle{size}",
        sample,
        lambda score: scoring_case(rules, score),
        rules.settle,
        lambda _, answer: sum(answer.changes) == 0 and answer.values[WINNER] > 0,
    )


def scoring_case(rules: RuleSet, score: samples.Score) -> ScoringCase:
    """Returns the case of a table where seat 0 has won: other hands and ponds come from the tiles that are left."""
    rng = random.Random(repr(score))
    melds = tuple(Meld(KINDS[kind], Tile(tile), Tile(tile), DISCARDER) for kind, tile in score.melds)
    tile = Tile(score.tile)
    used = [*samples.tiles(score.concealed), *(each for meld in melds for each in meld.tiles)]
    left = [each for each in range(34) for _ in range(4 - used.count(each))]
    rng.shuffle(left)
    held = 3 * rules.sets + 1
    others = [SeatTiles(keys_of(map(Tile, left[seat * held : (seat + 1) * held]))) for seat in range(3)]
    pond = [Tile(each) for each in left[3 * held : 3 * held + POND_TILES]]
    if score.self_drawn:
        claim = WinClaim(WINNER, tile, WinSource.LIVE_WALL)
    else:
        claim = WinClaim(WINNER, tile, WinSource.DISCARD, DISCARDER)
        pond.append(tile)
    bonus = (FLOWERS + SEASONS)[: score.flowers]
    winner = SeatTiles(remove(plain.keys(score.concealed), tile), melds, bonus)
    return ScoringCase(
        dealer=Seat(-score.seat % 4),
        round_wind=WINDS[score.round],
        seats=(winner, others[0], others[1], others[2]),
        wins=(claim,),
        live_tiles_left=40,
        discards=tuple(pond),
        discard_count=len(pond) + len(melds),
    )
