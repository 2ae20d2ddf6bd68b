"""One running platform for all browser tests and one browser for each module; each test signs in players of its own."""

import json
import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect, sync_playwright

from tests.e2e.player import STEP_TIMEOUT_MS, Player
from tests.kit.browser import FLAGS
from tests.kit.stack import AT_ONCE, Stack, running_stack

POOL_FILL_S = {"classical-relaxed-rated": 25, "classical-rated": 3_600, "taiwanese-rated": 3_600}
"""Two people meet in the first pool, who are not in at the same second. The others are for four, however late one of
them comes, and for somebody who finds no table."""


@pytest.fixture(scope="session")
def stack(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stack]:
    """The platform, with settings under which nobody waits but for others."""
    fills = {"MATCHMAKER_POOL_FILL_S": json.dumps(POOL_FILL_S)}
    with running_stack(tmp_path_factory.mktemp("stack"), AT_ONCE | fills) as running:
        yield running


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Debian's Chromium, without a screen. While its driver runs, an event loop does too, and no async test can."""
    path = shutil.which("chromium")
    assert path is not None, "no chromium on the path: apt-get install chromium"
    expect.set_options(timeout=STEP_TIMEOUT_MS)
    sandbox = ("--no-sandbox",) if os.geteuid() == 0 else ()
    with sync_playwright() as playwright:
        launched = playwright.chromium.launch(executable_path=path, args=[*FLAGS, *sandbox])
        yield launched
        launched.close()


@pytest.fixture
def new_player(browser: Browser, stack: Stack, tmp_path: Path) -> Iterator[Callable[..., Player]]:
    """Opens the page on a device of its own for each player; at the end no page may have complained in its console."""
    players: list[Player] = []

    def open_page(*, width: int = 1280, height: int = 800, address: str = "") -> Player:
        context = browser.new_context(viewport={"width": width, "height": height}, accept_downloads=True)
        players.append(Player(context.new_page(), address or stack.http, tmp_path))
        return players[-1]

    yield open_page
    for player in players:
        player.page.context.close()
    assert [complaint for player in players for complaint in player.complaints] == []
