"""kago-utils: Riichi, pure Python with pickled tables."""

from kago_utils.hai import Hai34Counter
from kago_utils.shanten import Shanten

from loadtests.engine import samples
from loadtests.engine.contest import Contender

ENGINE = "kago-utils 0.1.0 (Python)"


def contenders():
    return [
        Contender(
            ENGINE,
            "win14",
            samples.MAYBE_WIN_14,
            lambda case: Hai34Counter(list(case[0])),
            lambda hand: Shanten.calculate_shanten(hand, 0) == -1,
            samples.is_label,
        ),
        Contender(
            ENGINE,
            "shanten13",
            samples.UNFINISHED_13,
            lambda counts: Hai34Counter(list(counts)),
            lambda hand: Shanten.calculate_shanten(hand, 0),
            samples.is_riichi_shanten,
            checks=60,
        ),
    ]
