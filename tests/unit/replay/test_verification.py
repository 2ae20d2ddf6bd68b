"""A match is verified as a whole: each record by the engine, and the hands as following from each other."""

import json
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from mahjong_engine.match import MatchLength, places
from mahjong_replay.terms import MatchEnd, MatchTerms, Standing
from mahjong_replay.verification import examine
from tests.kit.matches import play_match

MATCH_ID = "6b4ad2a8-7c1c-4b8e-9d53-0f5b6f0d8a11"


def find_flaws(terms, end, records):
    return examine(terms, end, records).flaws


def stored(match):
    """The records as a table reports them."""
    return [json.dumps({k: v for k, v in r.items() if k != "server_seed"}).encode() for r in match.records]


def standings(match):
    scores = match.end.scores
    seats = sorted(range(4), key=lambda seat: -scores[seat])
    return tuple(Standing(seat, places(scores)[seat], scores[seat]) for seat in seats)


@pytest.fixture(scope="module", params=["classical", "taiwanese"])
def played(request):
    match = play_match(MATCH_ID, request.param, MatchLength.EAST_ROUND)
    terms = MatchTerms(MATCH_ID, request.param, "practice", "east_round", ())
    end = MatchEnd(len(match.records), match.derivation.server_seed, standings(match), datetime.now(UTC))
    return match, terms, end


@pytest.fixture(scope="module")
def classical():
    match = play_match(MATCH_ID, "classical", MatchLength.EAST_ROUND)
    terms = MatchTerms(MATCH_ID, "classical", "practice", "east_round", ())
    end = MatchEnd(len(match.records), match.derivation.server_seed, standings(match), datetime.now(UTC))
    return match, terms, end


def test_match_played_by_the_engine_has_no_flaw(played):
    match, terms, end = played
    assert find_flaws(terms, end, stored(match)) == ()


def test_match_that_was_left_has_no_flaw_without_standings(classical):
    _, terms, end = classical
    match = play_match(MATCH_ID, "classical", MatchLength.EAST_ROUND, hands=2)
    assert find_flaws(terms, replace(end, hand_count=2, standings=()), stored(match)) == ()
    assert find_flaws(terms, replace(end, hand_count=0, standings=()), []) == ()


def test_match_with_another_seed_fails_in_every_hand(classical):
    match, terms, end = classical
    flaws = find_flaws(terms, replace(end, server_seed=bytes(80)), stored(match))
    assert [(flaw.hand_number, flaw.reason) for flaw in flaws] == [
        (number, "WRONG_DERIVATION") for number in range(len(match.records))
    ]


def test_hand_with_a_changed_result_fails_with_its_number(classical):
    match, terms, end = classical
    records = stored(match)
    record = json.loads(records[1])
    record["result"]["changes"][0] += 1
    records[1] = json.dumps(record).encode()
    flaw, *others = find_flaws(terms, end, records)
    assert (flaw.hand_number, flaw.reason, flaw.decision) == (1, "WRONG_RESULT", len(record["decisions"]))
    assert not others


def test_hand_without_a_derived_wall_fails(classical):
    match, terms, end = classical
    records = stored(match)
    record = json.loads(records[0])
    for part in ("shuffle", "commitment", "nonces"):
        del record[part]
    records[0] = json.dumps(record).encode()
    assert [(flaw.hand_number, flaw.reason) for flaw in find_flaws(terms, end, records)] == [(0, "MALFORMED")]


def test_hands_in_another_order_do_not_follow(classical):
    match, terms, end = classical
    records = stored(match)
    records[1], records[2] = records[2], records[1]
    assert [(f.hand_number, f.reason) for f in find_flaws(terms, end, records)] == [(1, "HAND_DOES_NOT_FOLLOW")]


def test_hand_after_the_last_one_does_not_follow(classical):
    match, terms, end = classical
    records = stored(match)
    records.append(records[-1])
    flaws = find_flaws(terms, end, records)
    assert [(f.hand_number, f.reason) for f in flaws] == [(len(match.records), "HAND_DOES_NOT_FOLLOW")]


def test_standings_that_the_last_hand_does_not_lead_to_fail(classical):
    match, terms, end = classical
    wrong = (replace(end.standings[0], score=end.standings[0].score + 1), *end.standings[1:])
    for given in (wrong, ()):
        flaws = find_flaws(terms, replace(end, standings=given), stored(match))
        assert [(flaw.hand_number, flaw.reason) for flaw in flaws] == [(None, "WRONG_STANDINGS")]


def test_standings_of_a_match_that_was_left_fail(classical):
    match, terms, end = classical
    left = replace(end, hand_count=end.hand_count - 1)
    flaws = find_flaws(terms, left, stored(match)[:-1])
    assert [(flaw.hand_number, flaw.reason) for flaw in flaws] == [(None, "WRONG_STANDINGS")]


def test_nonces_that_change_between_hands_fail(classical):
    _, terms, end = classical
    first = play_match(MATCH_ID, "classical", MatchLength.EAST_ROUND, hands=1)
    other = play_match(MATCH_ID, "classical", MatchLength.EAST_ROUND, hands=2, changed_nonce=1)
    records = [stored(first)[0], stored(other)[1]]
    end = replace(end, hand_count=2, standings=())
    reasons = [(flaw.hand_number, flaw.reason) for flaw in find_flaws(terms, end, records)]
    assert (1, "NONCES_DIFFER") in reasons
