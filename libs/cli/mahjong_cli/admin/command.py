"""The commands `mahjong admin …`: each writes one JSON object a line."""

from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer

from mahjong_cli.admin.accounts import accounts
from mahjong_cli.admin.line import Line, present_operator
from mahjong_cli.admin.ratings import ratings
from mahjong_cli.lines import tell
from mahjongplanet.table.v1 import admin_service_pb2 as pb

admin = typer.Typer(no_args_is_help=True, help="Looks after table workers, accounts and ratings, as an operator.")
admin.add_typer(accounts, name="account")
admin.add_typer(ratings, name="ratings")

TableId = Annotated[str, typer.Argument(help="The table.")]


@admin.callback()
def options(
    context: typer.Context,
    address: Annotated[str, typer.Option(help="A table worker.")] = "127.0.0.1:7003",
    key_file: Annotated[
        Path, typer.Option(envvar="MAHJONG_SERVICE_KEY_FILE", help="File of the platform's service key.")
    ] = Path("var/service.key"),
    operator: Annotated[str, typer.Option(help="Your name, for the logs.")] = "",
) -> None:
    """Looks after table workers, accounts and ratings, as an operator."""
    context.obj = Line(address, key_file, operator or present_operator())


@admin.command()
def workers(context: typer.Context) -> None:
    """Lists the workers with their shards and tables."""
    line: Line = context.obj
    for worker in line.call(lambda stub: stub.ListWorkers(pb.ListWorkersRequest())).workers:
        tell(worker)


@admin.command()
def shards(context: typer.Context) -> None:
    """Lists all shards with their epochs and owners."""
    line: Line = context.obj
    for shard in line.call(lambda stub: stub.ListShards(pb.ListShardsRequest())).shards:
        tell(shard)


@admin.command()
def tables(context: typer.Context) -> None:
    """Lists the live tables."""
    line: Line = context.obj
    token = ""
    while True:
        page = line.call(partial(_tables_after, token))
        for table in page.tables:
            tell(table)
        token = page.next_page_token
        if not token:
            return


async def _tables_after(token: str, stub: Any) -> Any:
    return await stub.ListTables(pb.ListTablesRequest(page_token=token))


@admin.command()
def drain(context: typer.Context) -> None:
    """Lets the worker at --address give all its tables to the others, while play goes on."""
    line: Line = context.obj
    tell(line.call(lambda stub: stub.DrainWorker(pb.DrainWorkerRequest())))


@admin.command()
def table(
    context: typer.Context,
    table_id: TableId,
    *,
    log: Annotated[bool, typer.Option("--log", help="Write the entries of its log after it.")] = False,
    reveal: Annotated[
        bool, typer.Option("--reveal", help="Show the server's seed too; only once the match is over.")
    ] = False,
) -> None:
    """Shows one table, live or ended."""
    line: Line = context.obj
    found = line.call(lambda stub: stub.GetTable(pb.GetTableRequest(table_id=table_id, reveal=reveal)))
    entries = list(found.log)
    found.ClearField("log")
    tell(found)
    for entry in entries if log else ():
        tell(entry)


@admin.command()
def end(context: typer.Context, table_id: TableId) -> None:
    """Ends the match at a table without a result."""
    line: Line = context.obj
    owner = line.call(lambda stub: stub.GetTable(pb.GetTableRequest(table_id=table_id))).table.address
    tell(line.call(lambda stub: stub.EndTable(pb.EndTableRequest(table_id=table_id)), owner))
