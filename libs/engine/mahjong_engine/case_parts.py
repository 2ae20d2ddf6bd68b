"""The parts of a scoring case, read from JSON values and not yet checked against each other."""

from dataclasses import dataclass
from typing import Final, NamedTuple

from mahjong_engine.case_error import CaseError, CaseReason
from mahjong_engine.fields import Fields, malformed, shown
from mahjong_engine.keys import keys_of
from mahjong_engine.meld import KONGS, Meld, MeldKind
from mahjong_engine.rule_set import RuleSet
from mahjong_engine.settlement import FLOWER_WINS, ScoringCase, SeatTiles, WinClaim, WinSource
from mahjong_engine.tile import CODES, KIND_COUNT, WINDS, Seat, Tile, is_bonus

_MOST_DISCARDS: Final = 4 * KIND_COUNT
_MOST_DEALER_WINS: Final = 2**31 - 1


class SeatParts(NamedTuple):
    """One seat; its concealed tiles may still be too many of a kind for `Keys`."""

    concealed: tuple[Tile, ...]
    melds: tuple[Meld, ...]
    bonus: tuple[Tile, ...]
    original_call: bool


@dataclass(frozen=True, slots=True)
class CaseParts:
    """A whole case."""

    dealer: Seat
    round_wind: Tile
    seats: tuple[SeatParts, ...]
    wins: tuple[WinClaim, ...]
    live_tiles_left: int
    discards: tuple[Tile, ...]
    discard_count: int
    kongs_in_turn: int
    dealer_wins_before: int

    def as_case(self) -> ScoringCase:
        """Returns the case; of no kind may there be too many copies."""
        one, two, three, four = (
            SeatTiles(keys_of(seat.concealed), seat.melds, seat.bonus, seat.original_call) for seat in self.seats
        )
        return ScoringCase(
            dealer=self.dealer,
            round_wind=self.round_wind,
            seats=(one, two, three, four),
            wins=self.wins,
            live_tiles_left=self.live_tiles_left,
            discards=self.discards,
            discard_count=self.discard_count,
            kongs_in_turn=self.kongs_in_turn,
            dealer_wins_before=self.dealer_wins_before,
        )


class _WrittenMeld(NamedTuple):
    kind: str
    tiles: tuple[Tile, ...]


class _WrittenSeat(NamedTuple):
    concealed: tuple[Tile, ...]
    melds: tuple[_WrittenMeld, ...]
    bonus: tuple[Tile, ...]
    original_call: bool


class _WrittenWin(NamedTuple):
    seat: Seat
    tile: Tile | None
    source: str
    from_seat: Seat | None


def read_parts(fields: Fields, rules: RuleSet) -> CaseParts:
    """Reads every part of a case.

    Raises:
        MalformedError: something is malformed.
        CaseError: else BAD_MELD, else BAD_SOURCE.
    """
    seats = fields.each("seats", _read_seat)
    if len(seats) != 4:
        raise malformed(f"{len(seats)} seats, not four")
    wins = _read_wins(fields)
    numbers = {
        "live_tiles_left": fields.integer("live_tiles_left", 0, len(rules.live_wall)),
        "discard_count": fields.integer("discard_count", 0, _MOST_DISCARDS),
        "kongs_in_turn": fields.integer("kongs_in_turn", 0, rules.sets, default=0),
        "dealer_wins_before": fields.integer("dealer_wins_before", 0, _MOST_DEALER_WINS, default=0),
    }
    return CaseParts(
        dealer=Seat(fields.integer("dealer", 0, 3)),
        round_wind=_read_wind(fields),
        discards=_set_tiles(fields, "discards"),
        seats=tuple(
            SeatParts(seat.concealed, tuple(map(_meld, seat.melds)), seat.bonus, seat.original_call) for seat in seats
        ),
        wins=tuple(_claim(win, rules) for win in wins),
        **numbers,
    )


def _read_wind(fields: Fields) -> Tile:
    wind = fields.tile("round_wind")
    if wind not in WINDS:
        raise malformed(f"{CODES[wind]} is no wind")
    return wind


def _read_seat(value: object, name: str) -> _WrittenSeat:
    fields = Fields(value, name)
    bonus = fields.tiles("bonus", optional=True)
    if not all(map(is_bonus, bonus)):
        raise malformed(f"{name}.bonus holds a tile that is no flower or season")
    return _WrittenSeat(
        concealed=_set_tiles(fields, "concealed"),
        melds=fields.each("melds", _read_meld, optional=True),
        bonus=bonus,
        original_call=fields.flag("original_call", default=False),
    )


def _set_tiles(fields: Fields, part: str) -> tuple[Tile, ...]:
    tiles = fields.tiles(part)
    if any(map(is_bonus, tiles)):
        raise malformed(f"{part} holds a flower or season")
    return tiles


def _read_meld(value: object, name: str) -> _WrittenMeld:
    fields = Fields(value, name)
    return _WrittenMeld(fields.text("kind"), fields.tiles("tiles"))


def _read_wins(fields: Fields) -> tuple[_WrittenWin, ...]:
    if ("win" in fields) == ("wins" in fields):
        raise malformed("a case has either win or wins")
    wins = fields.each("wins", _read_win) if "wins" in fields else (_read_win(fields.part("win"), "win"),)
    if not wins:
        raise malformed("wins is empty")
    return wins


def _read_win(value: object, name: str) -> _WrittenWin:
    fields = Fields(value, name)
    return _WrittenWin(
        seat=Seat(fields.integer("seat", 0, 3)),
        tile=None if fields.part("tile") is None else fields.tile("tile"),
        source=fields.text("source"),
        from_seat=None if fields.part("from_seat") is None else Seat(fields.integer("from_seat", 0, 3)),
    )


_MELD_KINDS: Final = {kind.value: kind for kind in MeldKind}


def _meld(written: _WrittenMeld) -> Meld:
    kind = _MELD_KINDS.get(written.kind)
    tiles = tuple(sorted(written.tiles))
    if kind is None or not tiles or not _is_meld(kind, tiles):
        codes = " ".join(CODES[tile] for tile in written.tiles[:9])
        raise CaseError(CaseReason.BAD_MELD, f"{codes or 'nothing'} is no {shown(written.kind)}")
    return Meld(kind, tiles[0])


def _is_meld(kind: MeldKind, tiles: tuple[Tile, ...]) -> bool:
    lowest = tiles[0]
    if kind is MeldKind.CHOW:
        return lowest < 27 and lowest % 9 <= 6 and tiles == (lowest, lowest + 1, lowest + 2)
    return not is_bonus(lowest) and tiles == (lowest,) * (4 if kind in KONGS else 3)


_SOURCES: Final = {source.value: source for source in WinSource}


def _claim(written: _WrittenWin, rules: RuleSet) -> WinClaim:
    source = _SOURCES.get(written.source)
    if source not in rules.win_sources:
        raise CaseError(CaseReason.BAD_SOURCE, f"{shown(written.source)} is no {rules.name} source")
    tile = written.tile
    if source in FLOWER_WINS:
        if tile is not None and not is_bonus(tile):
            raise malformed(f"{CODES[tile]} is no flower")
    elif tile is None or is_bonus(tile):
        raise malformed(f"a win by {source.value} needs a winning tile that is no flower")
    return WinClaim(written.seat, tile, source, written.from_seat)
