"""hk-mahjong: Hong Kong rules, pure Python. Its shanten is an estimate and is not asked."""

from hk_mahjong.core.meld import Meld, MeldType
from hk_mahjong.core.scoring import ScoringContext, score_hand
from hk_mahjong.core.tiles import Dragon, Suit, Wind, create_full_tileset
from hk_mahjong.core.win_check import check_win

from loadtests.engine import samples
from loadtests.engine.contest import Contender

ENGINE = "hk-mahjong 0.1.0 (Python)"
WINDS = (Wind.EAST, Wind.SOUTH, Wind.WEST, Wind.NORTH)
DRAGONS = (Dragon.RED, Dragon.GREEN, Dragon.WHITE)
KINDS = {"chow": MeldType.CHOW, "pung": MeldType.PONG, "kong": MeldType.KONG}


def number(tile):
    """Our number of one of its tiles."""
    if tile.is_suited:
        return list(Suit).index(tile.suit) * 9 + tile.rank - 1
    return 27 + WINDS.index(tile.wind) if tile.wind is not None else 31 + DRAGONS.index(tile.dragon)


ALL = create_full_tileset()
BONUS = [tile for tile in ALL if tile.is_bonus]
TILES = {number(tile): tile for tile in ALL if not tile.is_bonus}


def contenders():
    return [
        Contender(
            ENGINE,
            "win14",
            samples.MAYBE_WIN_14,
            lambda case: [TILES[tile] for tile in samples.tiles(case[0])],
            lambda tiles: bool(check_win(tiles, [])),
            samples.is_label,
        ),
        Contender(
            ENGINE,
            "splits14",
            samples.WIN_14,
            lambda counts: [TILES[tile] for tile in samples.tiles(counts)],
            lambda tiles: check_win(tiles, []),
        ),
        Contender(ENGINE, "score14", samples.SCORE_14, prepare_score, score, lambda _, answer: answer > 0),
    ]


def prepare_score(case):
    melds = [
        Meld(KINDS[kind], tuple(TILES[each] for each in samples.meld_tiles(kind, tile))) for kind, tile in case.melds
    ]
    return [TILES[tile] for tile in samples.tiles(case.concealed)], melds, case


def score(prepared):
    concealed, melds, case = prepared
    return max(
        score_hand(
            ScoringContext(
                decomposition=decomposition,
                exposed_melds=melds,
                concealed_tiles=concealed,
                bonus_tiles=BONUS[: case.flowers],
                winning_tile=TILES[case.tile],
                self_drawn=case.self_drawn,
                seat_wind=WINDS[case.seat],
                prevailing_wind=WINDS[case.round],
            )
        ).total_faan
        for decomposition in check_win(concealed, melds)
    )
