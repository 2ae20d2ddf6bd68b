"""A database whose server speaks TLS: encrypted where that is asked, verified where that is."""

import asyncio
import shutil
import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest
from pydantic import TypeAdapter, ValidationError
from sqlalchemy import text

from mahjong_kit.settings import StoreRefusedError
from mahjong_kit.sql import DatabaseDsn, open_database
from tests.contract.kit.test_stores import FIRST, package
from tests.kit.certificates import TestAuthority

WAIT_S = 60


@asynccontextmanager
async def tls_before(socket_path: str, files: tuple[Path, Path]) -> AsyncIterator[int]:
    """Speaks PostgreSQL's TLS on a port and passes on to the server's socket, as a pooler does; gives the port."""
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(*files)

    async def pump(source, target):
        with suppress(OSError, asyncio.CancelledError):
            while data := await source.read(1 << 16):
                target.write(data)
                await target.drain()
        target.close()

    async def serve(reader, writer):
        await reader.readexactly(8)  # SSLRequest
        writer.write(b"S")
        with suppress(OSError):  # Who does not trust us hangs up.
            await writer.start_tls(context)
            server_reader, server_writer = await asyncio.open_unix_connection(socket_path)
            await asyncio.gather(pump(reader, server_writer), pump(server_reader, writer))
        writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    try:
        yield server.sockets[0].getsockname()[1]
    finally:
        server.close()


@pytest.fixture
async def tls_dsn(postgres_dsn, tmp_path):
    """Returns what makes the DSN of a database behind TLS; its certificate is for the address, of our authority."""
    authority = TestAuthority(tmp_path)
    parts = urlsplit(postgres_dsn)
    folder = parse_qs(parts.query)["host"][0]
    (path,) = Path(folder).glob(".s.PGSQL.*[0-9]")
    async with tls_before(str(path), authority.write("postgresql")) as port:
        yield lambda mode: f"postgresql://{parts.username}@127.0.0.1:{port}{parts.path}?ssl={mode}"


async def count_tiles(dsn, tmp_path):
    migrations = package(tmp_path / "one", FIRST)
    async with asyncio.timeout(WAIT_S), open_database(dsn, migrations) as database, database.reading() as session:
        return (await (await session.connection()).execute(text("SELECT count(*) FROM tile"))).scalar_one()


@pytest.mark.parametrize("mode", ["require", "verify-ca", "verify-full"])
async def test_server_with_a_certificate_of_a_known_authority_is_spoken_to(tls_dsn, tmp_path, monkeypatch, mode):
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "authority.pem"))
    assert await count_tiles(tls_dsn(mode), tmp_path) == 1


async def test_certificate_for_another_host_is_enough_only_where_the_host_is_not_asked_for(
    tls_dsn, tmp_path, monkeypatch
):
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "authority.pem"))
    elsewhere = tls_dsn("{mode}").replace("127.0.0.1", "localhost")
    assert await count_tiles(elsewhere.format(mode="verify-ca"), tmp_path) == 1
    shutil.rmtree(tmp_path / "one")
    with pytest.raises(StoreRefusedError, match="certificate verify failed"):
        await count_tiles(elsewhere.format(mode="verify-full"), tmp_path)


@pytest.mark.parametrize("mode", ["verify-ca", "verify-full"])
async def test_server_with_a_certificate_of_a_stranger_is_not_spoken_to(tls_dsn, tmp_path, mode):
    with pytest.raises(StoreRefusedError, match="certificate verify failed"):
        await count_tiles(tls_dsn(mode), tmp_path)


@pytest.mark.parametrize("query", ["sslmode=require", "ssl=verify_full", "ssl=true"])
def test_tls_that_is_asked_for_in_other_words_is_refused_at_the_start(query):
    with pytest.raises(ValidationError, match="TLS is asked for by `ssl`"):
        TypeAdapter(DatabaseDsn).validate_python(f"postgresql://u:p@h/x?{query}")
