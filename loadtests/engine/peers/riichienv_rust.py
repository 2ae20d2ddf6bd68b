"""smly/RiichiEnv: a Riichi environment with its rules in Rust."""

from riichienv import Meld, MeldType, RiichiEnv, Wind, calculate_shanten
from riichienv._riichienv import Conditions, HandEvaluator
from riichienv.agents import RandomAgent

from loadtests.engine import samples
from loadtests.engine.contest import Contender
from loadtests.engine.peers.copies import Copies

ENGINE = "riichienv 0.4.11 (Rust)"
WINDS = (Wind.East, Wind.South, Wind.West, Wind.North)
KINDS = {"chow": MeldType.Chi, "pung": MeldType.Pon, "kong": MeldType.Daiminkan}


def contenders():
    return [
        Contender(
            ENGINE,
            "win14",
            samples.MAYBE_WIN_14,
            lambda case: copies(case[0]),
            lambda tiles: calculate_shanten(tiles) == -1,
            samples.is_label,
        ),
        Contender(
            ENGINE,
            "shanten13",
            samples.UNFINISHED_13,
            copies,
            calculate_shanten,
            samples.is_riichi_shanten,
            checks=60,
        ),
        Contender(
            ENGINE,
            "score14",
            samples.SCORE_14,
            prepare_score,
            lambda x: HandEvaluator(x[0], x[1]).calc(x[2], [], [], x[3]),
            lambda _, answer: answer.is_win,
        ),
        Contender(ENGINE, "random rounds", samples.SEEDS, int, play_round, counts=True, least=1),
    ]


def copies(counts):
    return Copies().of(samples.tiles(counts))


def prepare_score(case):
    numbers = Copies()
    melds = [
        Meld(KINDS[kind], numbers.of(samples.meld_tiles(kind, tile)), True, 1)  # noqa: FBT003 - their signature
        for kind, tile in case.melds
    ]
    concealed = numbers.of(samples.tiles(case.concealed))
    winning = next(copy for copy in concealed if copy // 4 == samples.RIICHI_TILE[case.tile])
    concealed.remove(winning)
    conditions = Conditions(
        tsumo=case.self_drawn, riichi=not melds, player_wind=WINDS[case.seat], round_wind=WINDS[case.round]
    )
    return concealed, melds, winning, conditions


def play_round(seed):
    agent = RandomAgent(seed)
    env = RiichiEnv(seed=seed)
    seen = env.reset()
    while not env.done():
        seen = env.step({seat: agent.act(observation) for seat, observation in seen.items()})
    return 1
