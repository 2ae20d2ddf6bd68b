"""The commands `mahjong account …`: they sign a session file in, which `mahjong play --session` then plays by."""

import asyncio
import os
import platform
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Final, NoReturn

import grpc
import typer
from google.protobuf.message import Message

from mahjong_cli.gateway import Address, Authority, Gateway, gateway_at
from mahjong_cli.lines import clean_endings, tell
from mahjong_cli.play.session import CALL_TIMEOUT_S, Session, SessionFileError
from mahjong_kit.errors import error_info
from mahjongplanet.account.v1 import account_service_pb2 as pb

account = typer.Typer(no_args_is_help=True, help="Registers and signs in the account to play as.")

PASSWORD_VARIABLE: Final = "MAHJONG_PASSWORD"  # noqa: S105 - a name
LoginName = Annotated[str, typer.Argument(help="Login name: 3-32 of a-z 0-9 . _ -; nobody else sees it.")]
DisplayName = Annotated[str, typer.Option("--name", help="Name to show.")]


@dataclass(frozen=True, slots=True)
class Place:
    """Which gateway, and which file keeps the session."""

    gateway: Gateway
    session: Path

    def run(self, act: Callable[[Session], Awaitable[Message]], *, signed_in: bool) -> None:
        """Writes what an act of the player returns; ends the command if it is refused."""
        try:
            with clean_endings():
                tell(asyncio.run(self._run(act, signed_in=signed_in)))
        except SessionFileError as error:
            _fail(str(error))
        except grpc.aio.AioRpcError as error:
            info = error_info(error)
            if info is None:
                _fail(f"{error.code().name} {error.details() or ''}".rstrip())
            details = (f"{key}={value}" for key, value in sorted(info.metadata.items()))
            _fail(" ".join((info.reason.removeprefix("ERROR_REASON_"), *details)))

    async def _run(self, act: Callable[[Session], Awaitable[Message]], *, signed_in: bool) -> Message:
        async with self.gateway.channel() as channel:
            session = Session(channel, self.session)
            session.check_file()
            if signed_in:
                await session.go_on()
            return await act(session)


@account.callback()
def options(
    context: typer.Context,
    session: Annotated[Path, typer.Option(help="File that keeps who you are.")],
    address: Address = "127.0.0.1:8081",
    authority: Authority = None,
) -> None:
    """Registers and signs in the account to play as."""
    with clean_endings():
        context.obj = Place(gateway_at(address, authority), session)


@account.command()
def register(context: typer.Context, login_name: LoginName, name: DisplayName) -> None:
    """Makes an account and signs it in. The password is asked for, or read from MAHJONG_PASSWORD."""
    request = pb.RegisterAccountRequest(
        login_name=login_name, password=_password(confirm=True), display_name=name, device_name=_device()
    )

    async def act(session: Session) -> Message:
        answer = await session.accounts.RegisterAccount(request, timeout=CALL_TIMEOUT_S)
        session.keep(answer.profile, answer.session)
        return answer.profile

    context.obj.run(act, signed_in=False)


@account.command("sign-in")
def sign_in(context: typer.Context, login_name: LoginName) -> None:
    """Signs an account in. The password is asked for, or read from MAHJONG_PASSWORD."""
    request = pb.SignInRequest(login_name=login_name, password=_password(confirm=False), device_name=_device())

    async def act(session: Session) -> Message:
        answer = await session.accounts.SignIn(request, timeout=CALL_TIMEOUT_S)
        session.keep(answer.profile, answer.session)
        return answer.profile

    context.obj.run(act, signed_in=False)


@account.command()
def upgrade(context: typer.Context, login_name: LoginName, name: DisplayName = "") -> None:
    """Turns the guest of the session file into an account; ratings, replays and friends stay."""
    request = pb.UpgradeGuestRequest(login_name=login_name, password=_password(confirm=True), display_name=name)

    async def act(session: Session) -> Message:
        answer = await session.accounts.UpgradeGuest(request, timeout=CALL_TIMEOUT_S, metadata=await session.metadata())
        return answer.profile

    context.obj.run(act, signed_in=True)


@account.command()
def show(context: typer.Context) -> None:
    """Shows the account of the session file."""

    async def act(session: Session) -> Message:
        return await session.call(session.accounts.GetMyAccount, pb.GetMyAccountRequest())

    context.obj.run(act, signed_in=True)


@account.command("sign-out")
def sign_out(
    context: typer.Context,
    *,
    everywhere: Annotated[bool, typer.Option("--everywhere", help="End the sessions of all devices.")] = False,
) -> None:
    """Ends the session of the session file, and removes the file."""
    place: Place = context.obj

    async def act(session: Session) -> Message:
        if everywhere:
            return await session.call(session.accounts.SignOutEverywhere, pb.SignOutEverywhereRequest())
        return await session.call(session.accounts.SignOut, pb.SignOutRequest(refresh_token=session.refresh_token))

    place.run(act, signed_in=True)
    place.session.unlink(missing_ok=True)


@account.command()
def delete(context: typer.Context) -> None:
    """Deletes the account of the session file for good. The password is asked for; a guest has none."""
    place: Place = context.obj
    request = pb.DeleteMyAccountRequest(password=_password(confirm=False))

    async def act(session: Session) -> Message:
        return await session.accounts.DeleteMyAccount(
            request, timeout=CALL_TIMEOUT_S, metadata=await session.metadata()
        )

    place.run(act, signed_in=True)
    place.session.unlink(missing_ok=True)


def _password(*, confirm: bool) -> str:
    given = os.environ.get(PASSWORD_VARIABLE)
    if given is not None:
        return given
    asked = typer.prompt(
        "Password", hide_input=True, confirmation_prompt=confirm, default="", show_default=False, err=True
    )
    return str(asked)


def _device() -> str:
    return f"mahjong on {platform.node()}"[:64]


def _fail(words: str) -> NoReturn:
    typer.echo(f"mahjong account: {words}", err=True)
    raise typer.Exit(1)
