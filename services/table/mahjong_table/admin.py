"""The use cases of operators."""

from collections.abc import Mapping

from sqlalchemy import RowMapping

from mahjong_kit.auth import Operator, current_identity
from mahjong_kit.log import get_logger
from mahjong_kit.times import duration, timestamp, timestamp_or_none
from mahjong_table import errors
from mahjong_table.core.decide import End
from mahjong_table.core.refusal import RefusedError
from mahjong_table.environment import Environment
from mahjong_table.holder import Holder
from mahjong_table.keeper import Keeper, rebuild
from mahjong_table.ownership.survey import Survey
from mahjong_table.store.inspection import Inspection
from mahjongplanet.table.v1 import admin_service_pb2 as pb

_log = get_logger()


class Admin:
    """Looks at everything, drains this worker, ends tables of this worker."""

    def __init__(self, holder: Holder, keeper: Keeper, inspection: Inspection, env: Environment) -> None:
        self._holder = holder
        self._keeper = keeper
        self._inspection = inspection
        self._env = env

    async def workers(self) -> list[pb.Worker]:
        """Returns the known workers, by address."""
        survey, counts = await self._holder.survey(), await self._inspection.live_counts()
        lease_ms = round(1000 * self._env.settings.lease_s)
        workers = []
        for worker in sorted(survey.workers.values(), key=lambda each: each.address):
            shards = [row.shard for row in survey.shards if row.worker_id == worker.worker_id]
            workers.append(
                pb.Worker(
                    worker_id=worker.worker_id,
                    address=worker.address,
                    silence_duration=duration(max(0, survey.now - worker.seen_at)),
                    live=survey.is_live(worker.worker_id, lease_ms),
                    draining=worker.is_draining,
                    shard_count=len(shards),
                    table_count=sum(counts.get(shard, 0) for shard in shards),
                )
            )
        return workers

    async def shards(self) -> list[pb.Shard]:
        """Returns all shards."""
        survey, counts = await self._holder.survey(), await self._inspection.live_counts()
        owners = _owners(survey)
        return [
            pb.Shard(
                shard=row.shard,
                epoch=row.epoch,
                address=owners.get(row.shard, ""),
                table_count=counts.get(row.shard, 0),
            )
            for row in survey.shards
        ]

    async def tables(self, after: str, limit: int) -> list[pb.TableSummary]:
        """Returns live tables by id, from the one after an id on."""
        owners = _owners(await self._holder.survey())
        return [_summary(row, owners) for row in await self._inspection.live_tables(after, limit)]

    async def table(self, table_id: str, *, reveal: bool) -> pb.GetTableResponse:
        """Returns a table with its log.

        Raises:
            ServiceError: `TABLE_NOT_FOUND`, `MATCH_NOT_OVER`.
        """
        found = await self._inspection.table(table_id)
        if found is None:
            raise errors.table_not_found(table_id)
        state, _ = rebuild(found.loaded)
        if reveal and not state.is_over:
            raise errors.match_not_over(found.row["match_id"])
        _note("table.inspected", table_id=table_id, reveal=reveal)
        return pb.GetTableResponse(
            table=_summary(found.row, _owners(await self._holder.survey())),
            terms_json=found.row["terms"],
            stage=state.stage.value,
            hand_number=state.match.hand,
            scores=state.match.scores,
            open_decision_ids=[question.decision_id for question in state.questions if question is not None],
            log=[_entry(row) for row in found.log],
            server_seed=found.row["server_seed"] if reveal else b"",
        )

    async def drain(self) -> int:
        """Begins to give this worker's shards away; returns how many are left."""
        _note("worker.drain_asked", worker_id=self._holder.worker_id)
        await self._holder.start_draining()
        return len(self._keeper.epochs)

    async def end_table(self, table_id: str) -> None:
        """Ends the match at a table of this worker.

        Raises:
            ServiceError: `TABLE_NOT_FOUND`, `MATCH_OVER`, `LEASE_LOST`.
        """
        table = self._keeper.find(table_id)
        if table is None:
            found = await self._inspection.table(table_id)
            if found is None:
                raise errors.table_not_found(table_id)
            raise errors.lease_lost() if found.row["ended_at"] is None else errors.match_over(table_id)
        outcome = await table.ask(End())
        if isinstance(outcome, RefusedError):
            raise errors.refused(outcome, table_id)
        _note("table.end_asked", table_id=table_id)


def _note(event: str, **fields: object) -> None:
    """Logs what an operator did."""
    identity = current_identity()
    _log.info(event, operator=identity.name if isinstance(identity, Operator) else "", **fields)


def _owners(survey: Survey) -> dict[int, str]:
    addresses = {worker_id: worker.address for worker_id, worker in survey.workers.items()}
    return {row.shard: addresses.get(row.worker_id or "", "") for row in survey.shards}


def _summary(row: RowMapping, owners: Mapping[int, str]) -> pb.TableSummary:
    return pb.TableSummary(
        table_id=row["table_id"],
        match_id=row["match_id"],
        shard=row["shard"],
        address=owners.get(row["shard"], ""),
        open_time=timestamp(row["opened_at"]),
        end_time=timestamp_or_none(row["ended_at"]),
    )


def _entry(row: RowMapping) -> pb.LogEntry:
    return pb.LogEntry(
        sequence=row["sequence"],
        accept_time=timestamp(row["at"]),
        epoch=row["epoch"],
        kind=row["kind"],
        player_id=row["player_id"] or "",
        request_id=row["request_id"] or "",
        payload_json=row["payload"],
    )
