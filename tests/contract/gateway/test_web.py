"""The web client and what else the HTTP port answers by GET."""

import gzip
import os
from pathlib import Path

import pytest

from tests.contract.gateway.paths import SERVER_INFO
from tests.kit.http import JSON, fetch

HTML = {"accept": "text/html,*/*"}
INDEX = "<!doctype html><title>Mahjong Planet</title>"
SCRIPT = "export const tiles = 144;\n" * 100


@pytest.fixture
def dist(tmp_path: Path) -> Path:
    root = tmp_path / "dist"
    (root / "assets").mkdir(parents=True)
    (root / "index.html").write_text(INDEX)
    (root / "assets" / "index-B3xK9a.js").write_text(SCRIPT)
    (root / "icon.svg").write_text("<svg/>")
    (root / ".secret").write_text("no")
    (tmp_path / "outside.txt").write_text("no")
    (root / "link.txt").symlink_to(tmp_path / "outside.txt")
    return root


@pytest.mark.parametrize("path", ["/", "/index.html", "/table/7", "/replays?page=2"])
async def test_page_comes_at_its_own_addresses_and_is_revalidated(gateway, dist, path):
    reply = await fetch(gateway.http, "GET", path, HTML)
    assert (reply.status, reply.body.decode()) == (200, INDEX)
    assert reply.headers["content-type"] == "text/html; charset=utf-8"
    assert reply.headers["cache-control"] == "no-cache"


async def test_page_may_load_only_from_its_own_host(gateway, dist):
    headers = (await fetch(gateway.http, "GET", "/", HTML)).headers
    policy = headers["content-security-policy"]
    assert policy.startswith("default-src 'none'; script-src 'self'; style-src 'self'")
    assert "frame-ancestors 'none'" in policy
    assert "unsafe" not in policy
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] == "no-referrer"


async def test_hashed_files_are_kept_for_ever(gateway, dist):
    reply = await fetch(gateway.http, "GET", "/assets/index-B3xK9a.js")
    assert (reply.status, reply.body.decode()) == (200, SCRIPT)
    assert reply.headers["content-type"].startswith("text/javascript")
    assert reply.headers["cache-control"] == "public, max-age=31536000, immutable"
    packed = await fetch(gateway.http, "GET", "/assets/index-B3xK9a.js", {"accept-encoding": "gzip, br"})
    assert packed.headers["content-encoding"] == "gzip"
    assert gzip.decompress(packed.body).decode() == SCRIPT


async def test_file_that_is_known_is_not_sent_again(gateway, dist):
    etag = (await fetch(gateway.http, "GET", "/icon.svg")).headers["etag"]
    reply = await fetch(gateway.http, "GET", "/icon.svg", {"if-none-match": f"W/{etag}"})
    assert (reply.status, reply.body) == (304, b"")


async def test_head_has_no_body(gateway, dist):
    reply = await fetch(gateway.http, "HEAD", "/", HTML)
    assert (reply.status, reply.headers["content-length"]) == (200, str(len(INDEX)))


@pytest.mark.parametrize("path", ["/assets/old-000000.js", "/favicon.ico", "/assets/", "/nothing"])
async def test_file_that_is_not_there_is_not_found(gateway, dist, path):
    reply = await fetch(gateway.http, "GET", path, HTML if path == "/assets/" else {})
    assert (reply.status, reply.headers["cache-control"]) == (404, "no-store")


@pytest.mark.parametrize(
    "path",
    [
        "/../outside.txt",
        "/assets/../../outside.txt",
        "/%2e%2e/outside.txt",
        "/..%2foutside.txt",
        "/assets/..%5c..%5coutside.txt",
        "//etc/passwd",
        "/link.txt",
        "/.secret",
        "/index.html/../../outside.txt",
        "/%00",
        "/%ff",
    ],
)
async def test_nothing_outside_of_the_folder_has_an_address(gateway, dist, path):
    reply = await fetch(gateway.http, "GET", path)
    assert reply.status in {400, 404}
    assert reply.body != b"no"


async def test_client_that_is_not_built_is_said_so(gateway):
    reply = await fetch(gateway.http, "GET", "/", HTML)
    assert (reply.status, reply.headers["content-type"]) == (503, "text/plain; charset=utf-8")
    assert b"not built" in reply.body
    assert (await gateway.call(SERVER_INFO)).status == 200


async def test_client_that_is_built_anew_is_served_without_a_restart(gateway, dist):
    assert (await fetch(gateway.http, "GET", "/", HTML)).body.decode() == INDEX
    (dist / "assets" / "index-NEW123.js").write_text("new")
    (dist / "index.html").write_text("new page")
    os.utime(dist / "index.html", ns=(1, 1))
    assert (await fetch(gateway.http, "GET", "/", HTML)).body == b"new page"
    assert (await fetch(gateway.http, "GET", "/assets/index-NEW123.js")).body == b"new"


async def test_health_tells_that_the_gateway_serves(gateway):
    reply = await fetch(gateway.http, "GET", "/healthz")
    assert (reply.status, reply.body) == (200, b"ok\n")


async def test_pages_of_other_hosts_may_call_only_if_they_are_named(serve_gateway, upstream_address):
    ours, other = "http://localhost:5173", "https://evil.example"
    asked = {"access-control-request-method": "POST", "access-control-request-headers": "authorization"}
    async with serve_gateway(upstream_address, cors_origins=(ours,)) as ports:
        allowed = await fetch(ports.http, "OPTIONS", SERVER_INFO, {"origin": ours, **asked})
        assert (allowed.status, allowed.headers["access-control-allow-origin"]) == (204, ours)
        assert "authorization" in allowed.headers["access-control-allow-headers"]
        reply = await fetch(ports.http, "POST", SERVER_INFO, {"origin": ours, "content-type": JSON}, b"{}")
        assert (reply.status, reply.headers["access-control-allow-origin"]) == (200, ours)
        for method, headers in (("OPTIONS", asked), ("POST", {"content-type": JSON})):
            reply = await fetch(ports.http, method, SERVER_INFO, {"origin": other, **headers}, b"{}")
            assert "access-control-allow-origin" not in reply.headers
