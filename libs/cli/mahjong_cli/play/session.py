"""A signed-in player: one channel to the gateway, and an access token that is always fresh."""

import json
import os
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from errno import EISDIR
from pathlib import Path
from tempfile import TemporaryFile
from typing import Final, TypeVar

import grpc

from mahjong_cli.gateway import Gateway
from mahjong_cli.play.patience import Patience
from mahjongplanet.account.v1 import account_service_pb2 as account
from mahjongplanet.account.v1 import account_service_pb2_grpc as account_grpc
from mahjongplanet.matchmaker.v1 import matchmaker_service_pb2_grpc as matchmaker_grpc
from mahjongplanet.matchmaker.v1 import room_service_pb2_grpc as room_grpc
from mahjongplanet.rating.v1 import rating_service_pb2_grpc as rating_grpc
from mahjongplanet.replay.v1 import replay_service_pb2_grpc as replay_grpc
from mahjongplanet.table.v1 import table_service_pb2_grpc as table_grpc

AnswerT = TypeVar("AnswerT")

CALL_TIMEOUT_S: Final = 15.0
REFRESH_BEFORE: Final = timedelta(minutes=1)


class SessionFileError(Exception):
    """The file of a saved session has something else in it."""


class Session:
    """One player's stubs and credentials. Open it with `open_session`."""

    def __init__(self, channel: grpc.aio.Channel, saved: Path | None) -> None:
        self.accounts = account_grpc.AccountServiceStub(channel)
        self.matchmaker = matchmaker_grpc.MatchmakerServiceStub(channel)
        self.rooms = room_grpc.RoomServiceStub(channel)
        self.tables = table_grpc.TableServiceStub(channel)
        self.ratings = rating_grpc.RatingServiceStub(channel)
        self.replays = replay_grpc.ReplayServiceStub(channel)
        self.profile = account.Profile()
        self._tokens = account.Session()
        self._saved = saved

    @property
    def refresh_token(self) -> str:
        """What the session goes on by."""
        return self._tokens.refresh_token

    def check_file(self) -> None:
        """Does nothing if the session can be saved: who learns it later has lost the player.

        Raises:
            OSError: it cannot.
        """
        if self._saved is not None:
            if self._saved.is_dir():
                raise IsADirectoryError(EISDIR, os.strerror(EISDIR), str(self._saved))
            with TemporaryFile(dir=self._saved.parent):
                pass

    async def sign_in(self, name: str) -> None:
        """Goes on with the saved session, or becomes a new guest."""
        if self._saved is not None and self._saved.exists():
            await self.go_on()
            return
        answer = await self.accounts.CreateGuest(account.CreateGuestRequest(display_name=name), timeout=CALL_TIMEOUT_S)
        self.keep(answer.profile, answer.session)

    async def go_on(self) -> None:
        """Goes on with the saved session.

        Raises:
            SessionFileError: there is none.
        """
        assert self._saved is not None
        self._tokens.refresh_token = _saved_token(self._saved)
        await self._refresh()

    async def metadata(self) -> tuple[tuple[str, str], ...]:
        """Returns the call metadata that signs the player in; refreshes the session first if it is about to expire."""
        if self._tokens.access_expire_time.ToDatetime(UTC) - datetime.now(UTC) < REFRESH_BEFORE:
            await self._refresh()
        return (("authorization", f"Bearer {self._tokens.access_token}"),)

    async def call(
        self, method: Callable[..., Awaitable[AnswerT]], request: object, *, timeout_s: float = CALL_TIMEOUT_S
    ) -> AnswerT:
        """Sends a request as the player, again and again while the platform cannot be reached.

        Only for requests that may be repeated: reads, and those with a request id.

        Raises:
            grpc.aio.AioRpcError: it was refused for good, or nothing answered for `GIVE_UP_AFTER_S`.
        """
        patience = Patience()
        while True:
            try:
                return await method(request, timeout=timeout_s, metadata=await self.metadata())
            except grpc.aio.AioRpcError as error:
                await patience.wait_after(error)

    async def _refresh(self) -> None:
        if self._saved is not None and self._saved.exists():
            # Whoever goes on by the same file has the next token: an old one that comes again would end the session.
            self._tokens.refresh_token = _saved_token(self._saved)
        answer = await self.accounts.RefreshSession(
            account.RefreshSessionRequest(refresh_token=self._tokens.refresh_token), timeout=CALL_TIMEOUT_S
        )
        self.keep(answer.profile, answer.session)

    def keep(self, profile: account.Profile, tokens: account.Session) -> None:
        """Is this player from now on, and saves that."""
        self.profile, self._tokens = profile, tokens
        if self._saved is not None:
            # Whenever this process is killed, the file has the old token or the new one.
            written = self._saved.with_name(f"{self._saved.name}.new")
            descriptor = os.open(written, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
            with os.fdopen(descriptor, "w") as file:
                json.dump({"refresh_token": tokens.refresh_token}, file)
            written.replace(self._saved)


def _saved_token(path: Path) -> str:
    try:
        return str(json.loads(path.read_text())["refresh_token"])
    except (OSError, ValueError, LookupError, TypeError) as error:
        raise SessionFileError(f"{path} is no saved session; remove it to play as a new guest") from error


@asynccontextmanager
async def open_session(gateway: Gateway, name: str, saved: Path | None = None) -> AsyncIterator[Session]:
    """Connects to a gateway and signs in.

    `saved` names a file that keeps the refresh token, so that a later run is the same player.
    """
    async with gateway.channel() as channel:
        session = Session(channel, saved)
        session.check_file()
        await session.sign_in(name)
        yield session
