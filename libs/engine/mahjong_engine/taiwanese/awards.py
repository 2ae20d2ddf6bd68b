"""Every Taiwanese award as an item, ready to be listed (docs/rules/taiwanese.md, section 19).

Items are shared values: building the list of a hand's items is picking from here.
"""

from typing import Final

from mahjong_engine.settlement import Item

# Winning, flowers and ways of winning (T55).
WINNING: Final = Item("winning", tai=2)
NO_FLOWERS: Final = Item("no_flowers", tai=1)
FLOWERS: Final = tuple(Item("flowers", tai=count) for count in range(9))
"""By number of flowers."""
CONCEALED_HAND: Final = Item("concealed_hand", tai=1)
CONCEALED_SELF_DRAW: Final = Item("concealed_self_draw", tai=3)
SELF_DRAW: Final = Item("self_draw", tai=1)
EXPOSED_HAND: Final = Item("exposed_hand", tai=10)
EDGE_OR_CLOSED_WAIT: Final = Item("edge_or_closed_wait", tai=1)
PAIR_WAIT: Final = Item("pair_wait", tai=1)
LAST_TILE: Final = Item("last_tile", tai=1)
ROBBING_A_KONG: Final = Item("robbing_a_kong", tai=1)
WIN_WITHIN_FIVE_DISCARDS: Final = Item("win_within_five_discards", tai=10)
WIN_WITHIN_NINE_DISCARDS: Final = Item("win_within_nine_discards", tai=5)
ORIGINAL_CALL: Final = Item("original_call", tai=15)
HEAVENLY_HAND: Final = Item("heavenly_hand", tai=40)
EARTHLY_HAND: Final = Item("earthly_hand", tai=40)

# Sets (T56).
HONOUR_TRIPLET: Final = Item("honour_triplet", tai=1)
EXPOSED_KONG: Final = Item("exposed_kong", tai=1)
CONCEALED_KONG: Final = Item("concealed_kong", tai=2)
STRAIGHT: Final = Item("straight", tai=5)
CONCEALED_STRAIGHT: Final = Item("concealed_straight", tai=10)
CONCEALED_TRIPLETS: Final = {
    2: Item("two_concealed_triplets", tai=2),
    3: Item("three_concealed_triplets", tai=5),
    4: Item("four_concealed_triplets", tai=15),
    5: Item("five_concealed_triplets", tai=40),
}
"""By exact number of concealed triplets."""
LITTLE_THREE_DRAGONS: Final = Item("little_three_dragons", tai=15)
BIG_THREE_DRAGONS: Final = Item("big_three_dragons", tai=30)
LITTLE_THREE_WINDS: Final = Item("little_three_winds", tai=5)
BIG_THREE_WINDS: Final = Item("big_three_winds", tai=15)
LITTLE_FOUR_WINDS: Final = Item("little_four_winds", tai=30)
BIG_FOUR_WINDS: Final = Item("big_four_winds", tai=40)
ALL_CHOWS: Final = Item("all_chows", tai=3)
ALL_CHOWS_NO_HONOURS_NO_FLOWERS: Final = Item("all_chows_no_honours_no_flowers", tai=10)
ALL_PUNGS: Final = Item("all_pungs", tai=10)

# All tiles (T57).
NO_HONOURS: Final = Item("no_honours", tai=1)
NO_HONOURS_NO_FLOWERS: Final = Item("no_honours_no_flowers", tai=3)
HALF_FLUSH: Final = Item("half_flush", tai=10)
FULL_FLUSH: Final = Item("full_flush", tai=40)
SEVEN_PAIRS_AND_TRIPLET: Final = Item("seven_pairs_and_triplet", tai=30)

# Flower wins (T60).
EIGHT_FLOWERS: Final = Item("eight_flowers", tai=30)
SEVEN_FLOWERS_ROB_EIGHTH: Final = Item("seven_flowers_rob_eighth", tai=20)
