"""The header of a hand record: read, and checked against itself and the wall (docs/formats/notation.md)."""

from binascii import unhexlify
from enum import StrEnum
from typing import Final, NamedTuple

from mahjong_engine.fields import Fields, MalformedError, malformed, shown
from mahjong_engine.match import DEALER_CHANGES, MatchLength
from mahjong_engine.record import FORMAT
from mahjong_engine.rule_set import RuleSet, UnknownRuleSetError, rule_set, rule_set_names
from mahjong_engine.state import Deal
from mahjong_engine.tile import CODES, SORTED_SET, Tile
from mahjong_engine.wall import NONCE_SIZE, SERVER_SEED_SIZE, SHUFFLE, commitment, shuffle

_MOST: Final = 2**31 - 1
_DERIVATION: Final = ("shuffle", "commitment", "server_seed", "nonces")


class RecordReason(StrEnum):
    """Why a record is refused."""

    MALFORMED = "MALFORMED"
    """Not JSON, a wrong type or value, or a missing part."""
    UNKNOWN_RULES = "UNKNOWN_RULES"
    """A format, rule set or version that is not known here."""
    INCONSISTENT_HEADER = "INCONSISTENT_HEADER"
    """Parts of the header that contradict each other."""
    WRONG_WALL = "WRONG_WALL"
    """Not the 144 tiles."""
    WRONG_DERIVATION = "WRONG_DERIVATION"
    """The commitment or the wall does not follow from the seed and the nonces."""
    NOT_ASKED = "NOT_ASKED"
    """An answer of a seat that was not asked, or out of its place."""
    ILLEGAL_DECISION = "ILLEGAL_DECISION"
    MISSING_DECISION = "MISSING_DECISION"
    """An answer that could have changed the outcome is missing."""
    NOT_THE_DEFAULT = "NOT_THE_DEFAULT"
    """A timeout that is not the server's default answer."""
    WRONG_RESULT = "WRONG_RESULT"


class RecordError(ValueError):
    """A record that cannot stand.

    `decision` is the index of the first decision that cannot stand, the number of decisions if only the result is
    wrong, None for the header or the wall. The message is for people.
    """

    def __init__(self, reason: RecordReason, message: str, decision: int | None = None) -> None:
        super().__init__(message)
        self.reason = reason
        self.decision = decision


class Header(NamedTuple):
    """All that a record says before its decisions."""

    deal: Deal
    length: MatchLength


def read_header(fields: Fields) -> Header:
    """Reads and checks everything but the decisions and the result.

    Raises:
        RecordError: without a decision.
        MalformedError: something is malformed.
    """
    rules = _read_rules(fields)
    hand = fields.integer("hand", 0, _MOST) if "hand" in fields else None
    wall = fields.tiles("wall")
    one, two, three, four = _read_scores(fields)
    deal = Deal(
        rules,
        wall,
        hand or 0,
        fields.integer("dealer_changes", 0, _MOST),
        fields.integer("dealer_wins_before", 0, _MOST),
        (one, two, three, four),
    )
    length = _read_length(fields)
    _check_match(fields, deal, hand, length)
    if tuple(sorted(wall)) != SORTED_SET:
        raise RecordError(RecordReason.WRONG_WALL, "the wall is not the 144 tiles")
    if any(part in fields for part in _DERIVATION):
        _check_derivation(fields, wall)
    return Header(deal, length)


def _read_rules(fields: Fields) -> RuleSet:
    if fields.text("format") != FORMAT:
        raise RecordError(RecordReason.UNKNOWN_RULES, f"the format is not {FORMAT}")
    name = fields.text("rule_set")
    if name not in rule_set_names():
        raise RecordError(RecordReason.UNKNOWN_RULES, f"unknown rule set {shown(name)}")
    version = fields.integer("rule_set_version", 0, _MOST)
    try:
        return rule_set(name, version)
    except UnknownRuleSetError:
        raise RecordError(RecordReason.UNKNOWN_RULES, f"unknown version {version} of {name}") from None


def _read_scores(fields: Fields) -> tuple[int, ...]:
    scores = fields.each("scores_before", _score)
    if len(scores) != 4:
        raise malformed(f"four scores expected, not {len(scores)}")
    return scores


def _score(value: object, name: str) -> int:
    if type(value) is not int or abs(value) > _MOST:
        raise malformed(f"{name} is no score: {shown(value)}")
    return value


def _read_length(fields: Fields) -> MatchLength:
    if "match_length" not in fields:
        return MatchLength.FULL
    name = fields.text("match_length")
    if name not in set(MatchLength):
        raise malformed(f"no match length is called {shown(name)}")
    return MatchLength(name)


def _check_match(fields: Fields, deal: Deal, hand: int | None, length: MatchLength) -> None:
    """Checks what dealer, round, scores and hand number say about the match so far.

    A match of one hand may be dealt in any place of a full one: no clause says that practice begins at the first (T5).
    """
    played = deal.dealer_changes + deal.dealer_wins
    is_single = length is MatchLength.ONE_HAND
    end = DEALER_CHANGES[MatchLength.FULL if is_single else length]
    start = deal.rule_set.start_score
    checks = (
        (deal.dealer_changes >= end, "the match was over before this hand"),
        (is_single and hand, "a match of one hand has no second"),
        (fields.integer("dealer", 0, 3) != deal.dealer, "the dealer does not follow from dealer_changes"),
        (fields.text("round_wind") != CODES[deal.round_wind], "the round wind does not follow from dealer_changes"),
        (sum(deal.scores) != 4 * start, f"the scores do not sum to {4 * start}"),
        (hand is not None and hand < played and not is_single, "fewer hands than changes and wins of dealers"),
        (hand == 0 and set(deal.scores) != {start}, f"the first hand starts on {start} each"),
    )
    for is_wrong, message in checks:
        if is_wrong:
            raise RecordError(RecordReason.INCONSISTENT_HEADER, message)


def _check_derivation(fields: Fields, wall: tuple[Tile, ...]) -> None:
    """Derives commitment and wall again ("Shuffle 1")."""
    if fields.integer("shuffle", 0, _MOST) != SHUFFLE:
        raise RecordError(RecordReason.WRONG_DERIVATION, f"the only shuffle is {SHUFFLE}")
    match_id, hand = fields.text("match"), fields.integer("hand", 0, _MOST)
    seed = _bytes(fields.part("server_seed"), "server_seed", SERVER_SEED_SIZE)
    nonces = fields.each("nonces", lambda value, name: _bytes(value, name, NONCE_SIZE))
    if len(nonces) != 4:
        raise malformed(f"four nonces expected, not {len(nonces)}")
    try:
        promised = commitment(match_id, seed)
    except UnicodeEncodeError:
        raise malformed("the match id is no valid text") from None
    if _bytes(fields.part("commitment"), "commitment", len(promised)) != promised:
        raise RecordError(RecordReason.WRONG_DERIVATION, "the commitment is not that of the seed")
    if shuffle(seed, match_id, nonces, hand) != wall:
        raise RecordError(RecordReason.WRONG_DERIVATION, "the wall does not follow from seed, nonces and hand number")


def _bytes(value: object, name: str, size: int) -> bytes:
    """Reads hexadecimal text of exactly that many bytes."""
    if not isinstance(value, str) or len(value) != 2 * size:
        raise malformed(f"{name} is not {size} bytes in hexadecimal: {shown(value)}")
    try:
        return unhexlify(value)  # `bytes.fromhex` would skip blanks
    except ValueError:
        raise malformed(f"{name} is not hexadecimal: {shown(value)}") from None


def as_record_error(error: MalformedError, decision: int | None = None) -> RecordError:
    """Returns the error of a malformed part as one of a record."""
    return RecordError(RecordReason.MALFORMED, str(error), decision)
