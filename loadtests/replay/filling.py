"""Fills a replay database with a million hands in a minute: real records of a few matches, under many ids."""

import json
import random
import sqlite3
import uuid
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from mahjong_engine.match import MatchLength, places
from mahjong_replay.codec import PACKING, pack
from mahjong_replay.rows import occupants_of
from mahjong_replay.terms import MatchEnd, MatchTerms, Occupant, Standing
from mahjong_replay.verification import examine
from tests.kit.matches import play_match

HANDS_A_MATCH = 16
PLAYERS = 20_000
BUSY_MATCHES = 5_000
"""Matches of the one player who plays all day."""
START = datetime(2026, 1, 1, tzinfo=UTC)


@dataclass(frozen=True)
class Sample:
    """What is stored of one played hand, whoever is said to have played it."""

    rule_set: str
    columns: tuple[object, ...]
    awards: tuple[tuple[int, str], ...]
    """Seat and award of each winner."""


@dataclass(frozen=True)
class Filled:
    """What lies in the database."""

    matches: list[str]
    busy: str
    players: list[str]
    rare_award: str


def samples() -> list[Sample]:
    """Plays some matches and returns their hands."""
    found = []
    for number in range(6):
        rule_set = ("classical", "taiwanese")[number % 2]
        match = play_match(f"sample-{number}", rule_set, MatchLength.EAST_ROUND)
        records = [json.dumps({k: v for k, v in r.items() if k != "server_seed"}).encode() for r in match.records]
        scores = match.end.scores
        standings = tuple(Standing(seat, places(scores)[seat], scores[seat]) for seat in range(4))
        terms = MatchTerms(match.match_id, rule_set, "casual", "east_round", (Occupant(None, "basic", ""),) * 4)
        end = MatchEnd(len(records), match.derivation.server_seed, standings, START)
        finding = examine(terms, end, records)
        assert not finding.flaws
        for hand, (record, raw) in enumerate(zip(match.records, records, strict=True)):
            result = record["result"]
            columns = (
                *(record["dealer"], record["round_wind"], result["ended"]),
                *(json.dumps(result["winners"]), json.dumps(result["changes"]), PACKING, pack(raw)),
            )
            awards = tuple((won.seat, won.award) for won in finding.awards if won.hand_number == hand)
            found.append(Sample(rule_set, columns, awards))
    return found


def fill(path: Path, hands: int) -> Filled:
    """Writes so many hands into a database that has its tables."""
    chance = random.Random(1)
    pool = {rule_set: [s for s in samples() if s.rule_set == rule_set] for rule_set in ("classical", "taiwanese")}
    players = [str(uuid.UUID(int=chance.getrandbits(128), version=4)) for _ in range(PLAYERS)]
    count, busy, rare = hands // HANDS_A_MATCH, players[0], "thirteen_orphans"
    database = sqlite3.connect(path)
    for pragma in ("journal_mode = OFF", "synchronous = OFF", "cache_size = -200000", "foreign_keys = OFF"):
        database.execute(f"PRAGMA {pragma}")
    ids = [str(uuid.UUID(int=chance.getrandbits(128), version=4)) for _ in range(count)]
    step = max(1, count // min(BUSY_MATCHES, count))
    # In the order of ids, as the primary keys lie: a b-tree that grows at its end is written once.
    for start in range(0, count, 2_000):
        rows: dict[str, list[tuple[object, ...]]] = {"match": [], "player": [], "hand": [], "award": []}
        for number, match_id in enumerate(sorted(ids)[start : start + 2_000], start):
            people = chance.sample(players[1:], chance.choice([1, 2, 3, 4]))
            if number % step == 0:
                people[0] = busy
            rule_set = chance.choice(["classical", "taiwanese"])
            award = rare if number % (step * 500) == 0 else ""
            _add_match(rows, match_id, people, rule_set, chance, pool[rule_set], award)
        database.executemany("INSERT INTO played_match VALUES (?,?,?,?,?,?,?,?,?,?,?,?)", rows["match"])
        database.executemany("INSERT INTO match_player VALUES (?,?,?)", rows["player"])
        database.executemany("INSERT INTO played_hand VALUES (?,?,?,?,?,?,?,?,?)", rows["hand"])
        database.executemany("INSERT OR IGNORE INTO hand_award VALUES (?,?,?,?,?)", rows["award"])
        database.commit()
    database.close()
    return Filled(sorted(ids), busy, players, rare)


def _add_match(rows, match_id, people, rule_set, chance, pool, rare):
    occupants = [Occupant(player, None, "Somebody") for player in people]
    occupants += [Occupant(None, "basic", "Computer")] * (4 - len(people))
    terms = MatchTerms(match_id, rule_set, chance.choice(["rated", "casual"]), "full", tuple(occupants))
    end = (START + timedelta(seconds=chance.randrange(300 * 86_400))).strftime("%Y-%m-%d %H:%M:%S.%f")
    standings = json.dumps([[seat, 1, 2000] for seat in range(4)])
    rows["match"].append(
        (
            *(match_id, rule_set, terms.table_kind, "full", json.dumps(occupants_of(terms)), HANDS_A_MATCH),
            *(HANDS_A_MATCH, bytes(80), standings, end, "verified", None),
        )
    )
    rows["player"] += [(player, match_id, end) for player in people]
    for hand in range(HANDS_A_MATCH):
        sample = chance.choice(pool)
        rows["hand"].append((match_id, hand, *sample.columns))
        won = [*sample.awards, (0, rare)] if rare and hand == 0 else sample.awards
        rows["award"] += [(match_id, award, hand, seat, terms.occupants[seat].player_id) for seat, award in won]
