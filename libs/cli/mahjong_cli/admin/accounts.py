"""The commands `mahjong admin account …`: each writes one JSON object a line."""

from dataclasses import replace
from typing import Annotated

import typer

from mahjong_cli.admin.line import Line
from mahjong_cli.lines import tell
from mahjongplanet.account.v1 import admin_service_pb2 as pb
from mahjongplanet.account.v1.admin_service_pb2_grpc import AccountAdminServiceStub

accounts = typer.Typer(no_args_is_help=True, help="Looks after signing keys and lost passwords.")


@accounts.callback()
def options(
    context: typer.Context,
    address: Annotated[str, typer.Option(help="A replica of the account service.")] = "127.0.0.1:7001",
) -> None:
    """Looks after signing keys and lost passwords."""
    context.obj = replace(context.obj, address=address, stub=AccountAdminServiceStub, command="mahjong admin account")


@accounts.command()
def keys(context: typer.Context) -> None:
    """Lists the keys that access tokens are or were signed by, newest first."""
    line: Line = context.obj
    for key in line.call(lambda stub: stub.ListKeys(pb.ListKeysRequest())).keys:
        tell(key)


@accounts.command("rotate-key")
def rotate_key(
    context: typer.Context,
    *,
    at_once: Annotated[bool, typer.Option("--at-once", help="Let the new key sign now, before all know it.")] = False,
    withdraw: Annotated[
        bool, typer.Option("--withdraw", help="Take all other keys out of use at once: one is in wrong hands.")
    ] = False,
) -> None:
    """Makes a new signing key, which signs once whoever caches keys knows it."""
    line: Line = context.obj
    request = pb.RotateKeyRequest(at_once=at_once, withdraw_others=withdraw)
    tell(line.call(lambda stub: stub.RotateKey(request)).key)


@accounts.command("reset-password")
def reset_password(context: typer.Context, login_name: Annotated[str, typer.Argument(help="The login name.")]) -> None:
    """Gives an account whose password was lost a random one, shown once, and ends its sessions."""
    line: Line = context.obj
    tell(line.call(lambda stub: stub.ResetPassword(pb.ResetPasswordRequest(login_name=login_name))))
