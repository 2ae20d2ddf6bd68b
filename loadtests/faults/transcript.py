"""What players were told, line by line: all that the checker knows beside the log."""

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import BinaryIO, Final

import orjson

CALM: Final = "calm"
"""What goes on before the first fault."""

ANSWER, NONCE, CONFIRMATION = "answer", "nonce", "confirmation"
ACKNOWLEDGEMENTS: Final = frozenset({ANSWER, NONCE, CONFIRMATION})
EVENT, SNAPSHOT, REFUSED = "event", "snapshot", "refused"


@dataclass(frozen=True, slots=True)
class Said:
    """One thing that one player was told."""

    of: str
    """An acknowledgement, something of the stream, or an error that a careful client does not expect."""
    fault: str
    """What was going on."""
    table: str
    player: str
    sequence: int = 0
    """Number in the player's stream."""
    request: str = ""
    decision: str = ""
    hand: int = 0
    body: str = ""
    """The action, nonce or event as it was on the wire, in hexadecimal; the text of an error."""
    sent_s: float = 0.0
    """When the request was sent first, and when it was acknowledged, by the one clock of all players."""
    told_s: float = 0.0


class Transcript:
    """Writes what players are told to a file."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self.fault = CALM
        """What goes on now."""

    def add(self, of: str, table: str, player: str, **more: str | float) -> None:
        """Appends a line."""
        said = Said(of, self.fault, table, player, **more)  # type: ignore[arg-type]
        self._file.write(orjson.dumps(asdict(said)) + b"\n")


def read(path: Path) -> Iterator[Said]:
    """Reads a transcript in the order in which things were said."""
    with path.open("rb") as file:
        for line in file:
            yield Said(**orjson.loads(line))
