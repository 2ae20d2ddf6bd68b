"""Applies one report by the service's own store, and waits for a signal after each statement. Run by a test.

Arguments: the database, the report as hexadecimal protobuf.
"""

import asyncio
import signal
import sys
from datetime import UTC, datetime

from mahjong_kit.sql import open_database
from mahjong_rating import migrations
from mahjong_rating.standing import rated
from mahjong_rating.store import RatingStore
from mahjong_rating.wire import report_of
from mahjongplanet.rating.v1.rating_service_pb2 import ReportMatchRequest


async def main(dsn: str, request: str) -> None:
    report = report_of(ReportMatchRequest.FromString(bytes.fromhex(request)))
    going_on = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGUSR1, going_on.set)

    async def pause(step: int) -> None:
        sys.stdout.write(f"done {step}\n")
        sys.stdout.flush()
        await going_on.wait()
        going_on.clear()

    async with open_database(dsn, migrations) as database, RatingStore(database).writing() as transaction:
        assert await transaction.insert_report(report, datetime.now(UTC))
        await pause(1)
        before = await transaction.lock_standings(report.rule_set, report.scores)
        await pause(2)
        changes = rated(before, report.scores)
        await transaction.write_changes(report, changes[:1])
        await pause(3)
        await transaction.write_changes(report, changes[1:])
        await pause(4)


asyncio.run(main(*sys.argv[1:]))
