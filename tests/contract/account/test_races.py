"""What players do at the same moment: each call gets an answer of its own, and the account is in order after it."""

import asyncio
from contextlib import asynccontextmanager
from types import SimpleNamespace

import grpc
import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from sqlalchemy import text

from mahjong_account import migrations
from mahjong_account.metrics import AccountMetrics
from mahjong_account.sessions import Sessions
from mahjong_account.signing import Signer
from mahjong_account.store import AccountStore
from mahjong_kit.metrics import ServiceMetrics
from mahjong_kit.sql import open_database
from mahjongplanet.account.v1 import account_service_pb2 as pb
from tests.contract.account.people import PASSWORD, guest, sign_in
from tests.kit.wire import refused


class HeldStore(AccountStore):
    """Stops each transaction before its commit until it is let go."""

    def __init__(self, database):
        super().__init__(database)
        self.written, self.let_go = asyncio.Event(), asyncio.Event()

    @asynccontextmanager
    async def changing(self):
        async with super().changing() as changes:
            yield changes
            self.written.set()
            await self.let_go.wait()


async def somebody_waits(database):
    """Returns when another transaction waits for a lock; at once on SQLite, where all wait for the one writer."""
    if database.engine.dialect.name != "postgresql":
        return
    waiting = text("SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'")
    async with asyncio.timeout(60), database.engine.connect() as connection:
        while not (await connection.execute(waiting)).scalar_one():
            await connection.rollback()
            await asyncio.sleep(0.01)


@pytest.fixture
async def held(settings):
    """The store of another replica, whose transactions wait before their commit."""
    async with open_database(settings.database_dsn, migrations) as database:
        store = HeldStore(database)
        yield store
        store.let_go.set()


@pytest.fixture
def other_sessions(held, clock):
    """The sessions of that replica."""
    keys = SimpleNamespace(signer=Signer(Ed25519PrivateKey.generate(), 900))
    metrics = AccountMetrics(ServiceMetrics("account"))

    def clock_ms():
        return int(clock.now * 1000)

    return Sessions(held, keys, metrics, refresh_lifetime_s=900, refresh_grace_s=10, clock_ms=clock_ms)


@pytest.mark.parametrize(
    ("method", "request_of"),
    [
        ("DeleteMyAccount", lambda _: pb.DeleteMyAccountRequest()),
        ("SignOutEverywhere", lambda _: pb.SignOutEverywhereRequest()),
        ("SignOut", lambda person: pb.SignOutRequest(refresh_token=person.session.refresh_token)),
    ],
    ids=["deletion", "sign-out-everywhere", "sign-out"],
)
async def test_session_that_is_refreshed_while_it_ends_is_over_after_it(
    account, held, other_sessions, method, request_of
):
    person = await guest(account)
    refreshing = asyncio.ensure_future(other_sessions.refresh(person.session.refresh_token))
    await held.written.wait()
    ending = asyncio.ensure_future(getattr(account, method)(request_of(person), metadata=person.me))
    await somebody_waits(held._database)
    held.let_go.set()
    refreshed = await refreshing
    await ending
    for token in (person.session.refresh_token, refreshed.refresh_token):
        with refused() as refusal:
            await account.RefreshSession(pb.RefreshSessionRequest(refresh_token=token))
        assert (refusal.code, refusal.reason) == (grpc.StatusCode.UNAUTHENTICATED, "REFRESH_TOKEN_INVALID")


async def test_session_that_ends_while_it_is_refreshed_gives_no_more_tokens(account, held, other_sessions):
    person = await guest(account)
    ending = asyncio.ensure_future(other_sessions.sign_out_everywhere(person.player_id))
    await held.written.wait()
    request = pb.RefreshSessionRequest(refresh_token=person.session.refresh_token)
    refreshing = asyncio.ensure_future(account.RefreshSession(request))
    await somebody_waits(held._database)
    held.let_go.set()
    assert await ending == 1
    with refused() as refusal:
        await refreshing
    assert (refusal.code, refusal.reason) == (grpc.StatusCode.UNAUTHENTICATED, "REFRESH_TOKEN_INVALID")


async def test_guest_who_becomes_an_account_twice_at_once_becomes_one(account):
    person = await guest(account)
    request = pb.UpgradeGuestRequest(login_name="lin", password=PASSWORD, display_name="Lin")
    answers = await asyncio.gather(*(account.UpgradeGuest(request, metadata=person.me) for _ in range(4)))
    assert {answer.profile.player_id for answer in answers} == {person.player_id}
    assert all(answer == answers[0] for answer in answers)
    assert (await sign_in(account, "lin")).player_id == person.player_id


async def test_guest_who_becomes_two_accounts_at_once_becomes_one_of_them(account):
    person = await guest(account)
    names = ("lin", "mei")
    answers = await asyncio.gather(
        *(
            account.UpgradeGuest(
                pb.UpgradeGuestRequest(login_name=name, password=PASSWORD, display_name=name), metadata=person.me
            )
            for name in names
        ),
        return_exceptions=True,
    )
    (won,) = [name for name, answer in zip(names, answers, strict=True) if not isinstance(answer, Exception)]
    (lost,) = [answer for answer in answers if isinstance(answer, Exception)]
    assert isinstance(lost, grpc.aio.AioRpcError)
    assert lost.code() is grpc.StatusCode.FAILED_PRECONDITION
    assert (await sign_in(account, won)).profile.display_name == won
