"""The core's words as values of the protos' enums; those of the engine are in `mahjong_wire.words`."""

from typing import Final

from mahjong_engine.match import MatchLength
from mahjong_kit.fields import stated_values, word_of
from mahjong_table.core.clock import Clock
from mahjong_table.core.state import Stage
from mahjong_table.core.terms import Level, TableKind
from mahjong_wire.words import values_of
from mahjongplanet.game.v1 import terms_pb2 as game
from mahjongplanet.table.v1 import event_pb2 as pb

STAGES: Final = values_of(pb.TablePhase, Stage)
CLOCKS: Final = values_of(game.Clock, Clock)
LENGTHS: Final = values_of(game.MatchLength, MatchLength)
TABLE_KINDS: Final = values_of(game.TableKind, TableKind)
LEVELS: Final = values_of(game.ComputerLevel, Level)
RULE_SETS: Final = {word_of(game.RuleSet, value): value for value in stated_values(game.RuleSet)}
