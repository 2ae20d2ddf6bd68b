"""The engine's and the core's words as values of the protos' enums."""

from collections.abc import Mapping
from enum import StrEnum
from typing import TYPE_CHECKING, Final, TypeVar

from mahjong_engine.event import Ending, Wall
from mahjong_engine.match import MatchLength
from mahjong_engine.meld import MeldKind
from mahjong_engine.settlement import WinSource
from mahjong_engine.state import Phase
from mahjong_kit.fields import value_of
from mahjong_table.core.clock import Clock
from mahjong_table.core.state import Stage
from mahjong_table.core.terms import Level, TableKind
from mahjongplanet.game.v1 import terms_pb2 as game
from mahjongplanet.table.v1 import event_pb2 as pb

if TYPE_CHECKING:
    from google.protobuf.internal.enum_type_wrapper import _EnumTypeWrapper as Enum

ValueT = TypeVar("ValueT", bound=int)
WordT = TypeVar("WordT", bound=StrEnum)


def _values(enum: "Enum[ValueT]", words: type[WordT], *left_out: WordT) -> Mapping[WordT, ValueT]:
    return {word: value_of(enum, word.value) for word in words if word not in left_out}


PHASES: Final = _values(game.Phase, Phase, Phase.OVER)
MELD_KINDS: Final = _values(game.MeldKind, MeldKind)
WIN_SOURCES: Final = _values(game.WinSource, WinSource)
ENDINGS: Final = _values(game.Ending, Ending)
WALLS: Final = _values(pb.Wall, Wall)
STAGES: Final = _values(pb.TablePhase, Stage)
CLOCKS: Final = _values(game.Clock, Clock)
LENGTHS: Final = _values(game.MatchLength, MatchLength)
TABLE_KINDS: Final = _values(game.TableKind, TableKind)
LEVELS: Final = _values(game.ComputerLevel, Level)
RULE_SETS: Final = {name: value_of(game.RuleSet, name) for name in ("classical", "taiwanese")}
