"""Who sits with whom."""

from itertools import combinations

from hypothesis import given
from hypothesis import strategies as st

from mahjong_matchmaker.ticket import WaitingTicket
from mahjong_matchmaker.waves import WaveRules, plan

FILL_MS = 15_000
RULES = WaveRules(fill_after_ms=FILL_MS)
NOW = 100_000


def ticket(name, rating=1500, *, age_s=0.0, party=(), met=()):
    joined_at_ms = NOW - round(age_s * 1000)
    return WaitingTicket(f"t-{name}", name, name, joined_at_ms, NOW, rating, tuple(party), frozenset(met))


def planned(tickets, blocks=None, **kwargs):
    ordered = sorted(tickets, key=lambda one: one.joined_at_ms)
    return plan(ordered, NOW, RULES, blocks, **kwargs)


def names(wave):
    return [{one.player_id for one in group} for group in wave.groups]


def both_ways(*pairs):
    blocks = {}
    for one, other in pairs:
        blocks.setdefault(one, set()).add(other)
        blocks.setdefault(other, set()).add(one)
    return blocks


def test_neighbours_by_rating_sit_together():
    tickets = [
        ticket(f"{kind}{index}", rating) for index in range(4) for kind, rating in (("low", 1200), ("high", 1800))
    ]
    assert sorted(map(sorted, names(planned(tickets)))) == [
        ["high0", "high1", "high2", "high3"],
        ["low0", "low1", "low2", "low3"],
    ]


def test_table_with_the_smallest_spread_is_taken_for_the_oldest():
    ratings = {"a": 1440, "b": 1450, "oldest": 1500, "c": 1510, "d": 1520, "e": 1530}
    tickets = [ticket(name, rating, age_s=name == "oldest") for name, rating in ratings.items()]
    assert names(planned(tickets))[0] == {"oldest", "c", "d", "e"}


def test_window_widens_with_age_until_it_reaches_the_others():
    def tickets(age_s):
        return [ticket("far", 1800, age_s=age_s), *(ticket(f"n{index}", 1500) for index in range(3))]

    assert not planned(tickets(6.9)).groups
    assert names(planned(tickets(7.0))) == [{"far", "n0", "n1", "n2"}]


def test_oldest_is_served_first_when_two_want_the_same_neighbours():
    tickets = [ticket("old", 1460, age_s=3), ticket("young", 1540, age_s=2), *(ticket(f"n{i}", 1500) for i in range(3))]
    wave = planned(tickets)
    assert names(wave) == [{"old", "n0", "n1", "n2"}]
    assert wave.due_in_ms == FILL_MS - 2000


def test_whoever_waited_long_enough_plays_with_those_in_the_window_and_computers():
    tickets = [ticket("old", 1500, age_s=15), ticket("near", 1900), ticket("beyond", 2300)]
    assert names(planned(tickets)) == [{"old", "near"}]
    assert names(planned([ticket("alone", age_s=15)])) == [{"alone"}]


def test_blocked_players_never_meet():
    tickets = [ticket(name, age_s=20) for name in "abcd"]
    groups = names(planned(tickets, both_ways(("a", "b"))))
    assert sorted(map(len, groups)) == [1, 3]
    assert not any({"a", "b"} <= group for group in groups)


def test_recent_opponents_meet_again_only_after_a_while():
    def tickets(age_s):
        return [ticket("a", met=("b",), age_s=age_s), *(ticket(name, age_s=age_s) for name in "bcd")]

    assert not planned(tickets(4.9)).groups
    assert names(planned(tickets(5.0))) == [{"a", "b", "c", "d"}]


def test_strangers_are_preferred_to_recent_opponents():
    tickets = [ticket("a", met=("b", "c"), age_s=1), *(ticket(name) for name in "bcdef")]
    assert names(planned(tickets))[0] == {"a", "d", "e", "f"}


def test_party_sits_together_with_strangers_on_the_other_seats():
    party = [ticket(name, rating, party="pq") for name, rating in (("p", 1400), ("q", 1600))]
    assert names(planned([*party, ticket("a"), ticket("b"), ticket("c")])) == [{"p", "q", "a", "b"}]


def test_two_parties_of_two_make_a_table_and_three_and_two_do_not():
    pairs = [ticket(name, party=party) for party in ("pq", "rs") for name in party]
    assert names(planned(pairs)) == [set("pqrs")]
    uneven = [ticket(name, party=party) for party in ("pqr", "st") for name in party]
    assert not planned(uneven).groups


def test_party_of_four_plays_at_once():
    assert names(planned([ticket(name, party="pqrs") for name in "pqrs"])) == [set("pqrs")]


def test_party_that_is_not_whole_is_told_unless_it_may_be_cut():
    rest = [ticket(name, party="pqr") for name in "pq"]
    wave = planned([*rest, ticket("a"), ticket("b")])
    assert not wave.groups
    assert {one.player_id for one in wave.broken} == {"p", "q"}
    assert not planned([ticket("a"), *rest], are_all=False).broken
    assert {one.player_id for one in planned([*rest, ticket("a")], are_all=False).broken} == {"p", "q"}


def test_who_is_in_a_party_may_sit_beside_those_it_met_in_it():
    party = [ticket(name, party="pq", met="qp") for name in "pq"]
    assert names(planned([*party, ticket("a"), ticket("b")])) == [{"p", "q", "a", "b"}]


def test_absent_member_keeps_the_party_waiting():
    away = WaitingTicket("t", "q", "q", NOW, NOW - 20_000, 1500, ("p", "q"))
    assert not planned([ticket("p", party="pq"), away, ticket("a"), ticket("b")]).groups


PEOPLE = st.lists(
    st.tuples(st.integers(800, 2400), st.integers(0, 20), st.sets(st.integers(0, 39), max_size=3)), max_size=40
)


@given(PEOPLE, st.sets(st.tuples(st.integers(0, 39), st.integers(0, 39)), max_size=10))
def test_every_wave_keeps_its_promises(people, feuds):
    tickets = [
        ticket(str(index), rating, age_s=age, met=map(str, met - {index}))
        for index, (rating, age, met) in enumerate(people)
    ]
    blocks = both_ways(*((str(one), str(other)) for one, other in feuds if one != other))
    wave = planned(tickets, blocks)
    seated = [one.player_id for group in wave.groups for one in group]
    assert len(seated) == len(set(seated))
    for group in wave.groups:
        oldest = min(group, key=lambda one: one.joined_at_ms)
        age_ms = NOW - oldest.joined_at_ms
        assert len(group) == 4 or (1 <= len(group) < 4 and age_ms >= FILL_MS)
        assert max(one.rating for one in group) - min(one.rating for one in group) <= 2 * RULES.window(age_ms)
        for one, other in combinations(group, 2):
            assert other.player_id not in blocks.get(one.player_id, ())
            assert age_ms >= RULES.meet_again_after_ms or not {one.player_id} & other.met
    left = [one for one in tickets if one.player_id not in seated]
    assert all(NOW - one.joined_at_ms < FILL_MS for one in left), "nobody waits longer than the fill"
