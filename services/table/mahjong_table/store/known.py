"""Which appends are at fault when a commit is refused: the log has one of their entries already, or a request id."""

import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from mahjong_table.store.append import Append

_ON_SQLITE: Final = "SELECT 1 FROM decision WHERE table_id = ? AND (sequence = ? OR request_id = ?)"
_ON_POSTGRESQL: Final = """
SELECT table_id FROM decision
  JOIN unnest($1::text[], $2::integer[]) AS w(table_id, sequence) USING (table_id, sequence)
UNION
SELECT table_id FROM decision
  JOIN unnest($1::text[], $3::text[]) AS w(table_id, request_id) USING (table_id, request_id)
"""


@dataclass(frozen=True, slots=True)
class KnownAppends:
    """Looks up all keys of some appends; comes to the ids of the tables of those that can't be written."""

    appends: Sequence[Append]

    def on_sqlite(self, connection: sqlite3.Connection) -> frozenset[str]:
        """Looks them up one by one: each takes some microseconds."""
        return frozenset(key[0] for key in self._keys() if connection.execute(_ON_SQLITE, key).fetchone())

    async def on_postgresql(self, connection: Any) -> frozenset[str]:
        """Looks them up together."""
        rows = await connection.fetch(_ON_POSTGRESQL, *zip(*self._keys(), strict=True))
        return frozenset(row["table_id"] for row in rows)

    def _keys(self) -> list[tuple[str, int, str | None]]:
        return [(append.table_id, e.sequence, e.request_id) for append in self.appends for e in append.entries]
