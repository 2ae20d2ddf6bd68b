"""The courier rests between its rounds, whatever became of the reports that it could not deliver."""

from mahjong_kit.metrics import ServiceMetrics
from mahjong_table.clock import WallClock
from mahjong_table.courier import Courier, Destination
from mahjong_table.keeper import Keeper
from mahjong_table.metrics import TableMetrics
from mahjong_table.reports import STORE_HAND
from mahjong_table.settings import TableSettings
from mahjong_table.store.outbox import WaitingReport

SETTINGS = TableSettings(service_key="k" * 32, database_dsn="sqlite:///unused")


class OneReport:
    """An outbox whose only report is this worker's until its shard goes to another worker."""

    is_mine = True

    async def waiting(self, after, limit, worker_id):
        return [WaitingReport(1, "match", STORE_HAND, b"", 0)] if self.is_mine and after == 0 else []

    async def backlog(self):
        return 1, 0


async def refuse(body):
    raise ConnectionError("not now")


async def test_a_report_that_went_to_another_worker_is_not_looked_for_again_and_again():
    outbox = OneReport()
    courier = Courier(
        outbox,
        {STORE_HAND: Destination("replay", refuse)},
        "worker",
        Keeper(None, None),
        WallClock(),
        SETTINGS,
        TableMetrics(ServiceMetrics("table")),
    )
    await courier._round()
    assert courier._retry, "its next attempt is due before long"
    outbox.is_mine = False
    await courier._round()
    assert not courier._retry, "else every round would follow the one before at once"
