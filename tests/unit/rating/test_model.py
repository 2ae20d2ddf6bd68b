"""The rating model: order, ties, symmetry, bounds, and values that may never change silently."""

import itertools
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mahjong_rating import model
from mahjong_rating.model import Skill, places, rate, shown

NEW = Skill()
IDS = ("anna", "bela", "cem", "dora")

skills = st.builds(Skill, mu=st.floats(-100, 150), sigma=st.floats(0.05, 2 * model.SIGMA))
scores = st.integers(-50_000, 50_000)


@st.composite
def matches(draw, min_size=2):
    players = IDS[: draw(st.integers(min_size, 4))]
    return {p: draw(skills) for p in players}, {p: draw(scores) for p in players}


def algorithm_4(skills, order):
    """Weng and Lin 2011, algorithm 4 for single players in strict order, written from the paper."""
    variance = {p: skills[p].sigma ** 2 + model.TAU**2 for p in order}
    c = math.sqrt(sum(variance[p] + model.BETA**2 for p in order))
    after = {}
    for i, player in enumerate(order):
        omega, delta = 0.0, 0.0
        for q in range(i + 1):
            weight = sum(math.exp(skills[p].mu / c) for p in order[q:])
            p_iq = math.exp(skills[player].mu / c) / weight
            omega += (1.0 if q == i else 0.0) - p_iq
            delta += p_iq * (1 - p_iq)
        gamma = math.sqrt(variance[player]) / c
        mu = skills[player].mu + variance[player] / c * omega
        shrink = max(1 - gamma * variance[player] / c**2 * delta, 0.0001)
        after[player] = Skill(mu, math.sqrt(variance[player] * shrink))
    return after


def test_places_of_equal_scores_share_the_better_place():
    assert places({"a": 10, "b": 30, "c": 30, "d": 20}) == {"a": 4, "b": 1, "c": 1, "d": 3}


@pytest.mark.parametrize("order", list(itertools.permutations(IDS)))
def test_rate_agrees_with_the_published_algorithm(order):
    before = {"anna": Skill(25, 8), "bela": Skill(31, 4), "cem": Skill(18, 7.5), "dora": Skill(40, 2)}
    after = rate(before, {player: -place for place, player in enumerate(order)})
    expected = algorithm_4(before, order)
    for player in IDS:
        assert after[player].mu == pytest.approx(expected[player].mu, abs=1e-9)
        assert after[player].sigma == pytest.approx(expected[player].sigma, abs=1e-9)


def test_rate_of_four_new_players_gives_the_stored_values():
    after = rate(dict.fromkeys(IDS, NEW), dict(zip(IDS, (9000, 4000, -100, -12900), strict=True)))
    assert [round(after[p].mu, 6) for p in IDS] == [25.757997, 25.42111, 24.915778, 23.905115]
    assert [round(after[p].sigma, 6) for p in IDS] == [8.332356, 8.330704, 8.328845, 8.328845]
    assert [shown(after[p]) for p in IDS] == [1518, 1510, 1498, 1474]


@pytest.mark.parametrize("count", [2, 3, 4])
def test_rate_of_new_players_moves_the_mean_of_nobody_but_themselves(count):
    after = rate(dict.fromkeys(IDS[:count], NEW), {p: -i for i, p in enumerate(IDS[:count])})
    assert math.fsum(s.mu - model.MU for s in after.values()) == pytest.approx(0, abs=1e-9)


@pytest.mark.parametrize("count", [2, 3, 4])
def test_rate_of_a_tie_between_equals_changes_no_mean(count):
    after = rate(dict.fromkeys(IDS[:count], NEW), dict.fromkeys(IDS[:count], 500))
    assert len(set(after.values())) == 1
    assert after["anna"].mu == pytest.approx(model.MU, abs=1e-12)


def test_rate_of_a_tie_for_first_leaves_third_place_what_it_is_worth_without_one():
    strict = rate(dict.fromkeys(IDS, NEW), {"anna": 4, "bela": 3, "cem": 2, "dora": 1})
    tied = rate(dict.fromkeys(IDS, NEW), {"anna": 4, "bela": 4, "cem": 2, "dora": 1})
    assert tied["anna"] == tied["bela"]
    assert tied["anna"].mu == pytest.approx((strict["anna"].mu + strict["bela"].mu) / 2, abs=1e-12)
    assert tied["cem"].mu == pytest.approx(strict["cem"].mu, abs=1e-12)
    assert tied["dora"].mu == pytest.approx(strict["dora"].mu, abs=1e-12)


def test_rate_with_fewer_than_two_players_is_refused():
    with pytest.raises(ValueError, match="1 player"):
        rate({"anna": NEW}, {"anna": 1})


def test_rate_of_a_broken_skill_never_reaches_the_store():
    with pytest.raises(ArithmeticError):
        rate({"anna": NEW, "bela": Skill(math.nan, 1.0)}, {"anna": 1, "bela": 2})


@given(matches())
def test_rate_of_any_match_stays_finite_with_a_positive_uncertainty(match):
    before, result = match
    for skill in rate(before, result).values():
        assert math.isfinite(skill.mu)
        assert 0 < skill.sigma < 3 * model.SIGMA


@given(matches(), st.randoms(use_true_random=False))
def test_rate_gives_the_same_bits_whatever_the_order_of_the_arguments(match, random):
    before, result = match
    shuffled = list(result)
    random.shuffle(shuffled)
    assert rate({p: before[p] for p in shuffled}, {p: result[p] for p in shuffled}) == rate(before, result)


@given(matches())
def test_rate_never_lowers_a_sole_winner_nor_raises_a_sole_last(match):
    before, result = match
    after, place = rate(before, result), places(result)
    for player in result:
        if place[player] == 1 and list(place.values()).count(1) == 1:
            assert after[player].mu >= before[player].mu
        if place[player] == max(place.values()) == len(place):
            assert after[player].mu <= before[player].mu


@given(skills, st.lists(scores, min_size=2, max_size=4))
def test_rate_of_equals_gives_the_better_place_no_less(skill, results):
    result = dict(zip(IDS, results, strict=False))
    after = rate(dict.fromkeys(result, skill), result)
    for better, worse in itertools.permutations(result, 2):
        if result[better] > result[worse]:
            assert after[better].mu >= after[worse].mu
        if result[better] == result[worse]:
            assert after[better].mu == pytest.approx(after[worse].mu, abs=1e-9)


@given(matches(), st.integers(1, 1000), st.integers(-10_000, 10_000))
def test_rate_looks_at_the_order_of_scores_only(match, factor, shift):
    before, result = match
    assert rate(before, {p: s * factor + shift for p, s in result.items()}) == rate(before, result)


def test_shown_rating_is_1500_for_a_new_player_and_200_points_a_standard_deviation():
    assert shown(NEW) == 1500
    assert shown(Skill(model.MU + model.SIGMA, 1.0)) == 1700
    assert shown(Skill(model.MU - 2 * model.SIGMA, 9.0)) == 1100


def test_rating_is_provisional_until_twenty_matches():
    assert [model.is_provisional(n) for n in (0, 1, 19, 20, 500)] == [True, True, True, False, False]
