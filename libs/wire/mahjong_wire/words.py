"""The engine's words as values of the protos' enums."""

from collections.abc import Mapping
from enum import StrEnum
from typing import TYPE_CHECKING, Final, TypeVar

from mahjong_engine.event import Ending, Wall
from mahjong_engine.meld import MeldKind
from mahjong_engine.settlement import WinSource
from mahjong_engine.state import Phase
from mahjong_kit.fields import value_of
from mahjongplanet.game.v1 import terms_pb2 as game
from mahjongplanet.table.v1 import event_pb2 as pb

if TYPE_CHECKING:
    from google.protobuf.internal.enum_type_wrapper import _EnumTypeWrapper as Enum

ValueT = TypeVar("ValueT", bound=int)
WordT = TypeVar("WordT", bound=StrEnum)


def values_of(enum: "Enum[ValueT]", words: type[WordT], *left_out: WordT) -> Mapping[WordT, ValueT]:
    """Returns the values of an enum of the protos by the words that name them."""
    return {word: value_of(enum, word.value) for word in words if word not in left_out}


PHASES: Final = values_of(game.Phase, Phase, Phase.OVER)
MELD_KINDS: Final = values_of(game.MeldKind, MeldKind)
WIN_SOURCES: Final = values_of(game.WinSource, WinSource)
ENDINGS: Final = values_of(game.Ending, Ending)
WALLS: Final = values_of(pb.Wall, Wall)
