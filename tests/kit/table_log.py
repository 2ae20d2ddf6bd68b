"""The log of one table, for tests that look at it."""

from mahjong_table.core.entry import Entry
from mahjong_table.store.log import Log


async def log_of(log: Log, table_id: str, after: int = 0) -> list[Entry]:
    """Returns the entries of a table from the one after a sequence on."""
    return (await log.entries_after_each({table_id: after}))[table_id]
