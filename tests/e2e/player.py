"""A person at the page, who sees what is on the screen and uses a mouse or a keyboard."""

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Final

from playwright.sync_api import Locator, Page, expect
from playwright.sync_api import TimeoutError as PlaywrightTimeoutError

STEP_TIMEOUT_MS: Final = 60_000
"""Longest wait for the platform to ask something or to end the match."""

_CONFIRM: Final = "[data-testid=confirm]:not(:disabled)"
_MOMENTS: Final = f"[data-testid=final], {_CONFIRM}, [data-testid=actions]:not([data-decision=''])"
"""What a player waits for: the standings, a result to confirm, or a question."""

_BUTTONS: Final = "[data-actions] button[data-action]:not([data-action=original-call])"
"""Every answer on offer that is no tile."""

_ANSWERS: Final = f"{_BUTTONS}, [data-hand] button:enabled"
"""Every answer on offer, those on buttons first."""

_AUTOPILOT: Final = """
buttons => setInterval(() => buttons.map((selector) => document.querySelector(selector)).find(Boolean)?.click(), 30)
"""


Answer = Callable[["Player"], None]
"""How a player answers the question on the screen."""


class Player:
    """One browser window; `complaints` holds what it wrote to its console as an error."""

    def __init__(self, page: Page, address: str, downloads: Path) -> None:
        self.page = page
        self.address = address
        self.downloads = downloads
        self.complaints: list[str] = []
        self._results: set[str] = set()
        page.set_default_timeout(STEP_TIMEOUT_MS)
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        page.on(
            "console", lambda text: self.complaints.append(text.text) if _is_complaint(text.text, text.type) else None
        )

    def open(self, path: str = "") -> None:
        """Goes to the page, or to one of its views."""
        self.page.goto(f"{self.address}/{path}")

    def sign_in(self, name: str) -> None:
        """Opens the page and signs in as a new guest."""
        self.open()
        self.page.get_by_label("Your name").fill(name)
        self.page.get_by_role("button", name="Play as a guest").click()
        expect(self.page.get_by_test_id("player-name")).to_have_text(name)

    def start_practice(self, rules: str, *, length: str = "One hand", clock: str = "Untimed") -> None:
        """Opens a practice table against three computers."""
        form = self.page.get_by_test_id("practice")
        for choice in (rules, length, clock):
            form.get_by_role("radio", name=choice).check()
        form.get_by_role("button", name="Start practice").click()
        self.page.wait_for_url("**/#/table/*")

    def choose_queue(self, *choices: str) -> Locator:
        """Chooses a pool of quick play; returns the button that joins it."""
        form = self.page.get_by_test_id("quick-play")
        for choice in choices:
            form.get_by_role("radio", name=choice).check()
        return form.get_by_role("button", name="Find a table")

    def moment(self, *, timeout_ms: float = STEP_TIMEOUT_MS) -> str:
        """Waits for something to do; returns `final`, `confirm` or `actions`."""
        found = self.page.wait_for_selector(_MOMENTS, timeout=timeout_ms)
        assert found is not None
        return found.get_attribute("data-testid") or ""

    @property
    def results_seen(self) -> int:
        """How many hands' results have been confirmed."""
        return len(self._results)

    def play(self, answer: Answer, *, until: Callable[["Player"], bool] = lambda _: False) -> bool:
        """Answers every question and confirms every result until the final standings, or until `until` holds.

        Returns:
            Whether it held.
        """
        while (moment := self.moment()) != "final":
            if until(self):
                return True
            self.act(moment, answer)
        return False

    def practise_to_own_turn(self, rules: str, number: int = 1) -> None:
        """Opens practice tables until a hand comes to so many turns of the player's, and plays to the last of them.

        The table then waits for the player alone. Another may win before.
        """
        self.start_practice(rules)
        turns: set[str] = set()
        while not self.play(by_keyboard, until=lambda _: self._is_own_turn(number, turns)):
            self.open("#/")
            self.start_practice(rules)
            turns.clear()

    def _is_own_turn(self, number: int, turns: set[str]) -> bool:
        if self.page.locator("[data-hand] button:enabled").count() == 0:
            return False
        expect(self.page.locator("[data-hand] button").last).to_be_focused()
        turns.add(self.page.get_by_test_id("actions").get_attribute("data-decision") or "")
        return len(turns) == number

    def play_by_itself(self) -> None:
        """Lets the page press its own buttons, so that another window can be played meanwhile."""
        self.page.evaluate(_AUTOPILOT, [_CONFIRM, _ANSWERS])

    def act(self, moment: str, answer: Answer) -> None:
        """Confirms the result that is shown, or answers the question."""
        if moment == "confirm":
            self._results.add(self.page.get_by_test_id("result").get_attribute("data-hand-number") or "")
            expect(self.page.get_by_test_id("payments").locator("tbody tr")).to_have_count(4)
            click_unless_gone(self.page.get_by_test_id("confirm"))
        elif moment == "actions":
            answer(self)

    def own_seat(self) -> int:
        """The number of the own seat."""
        panel = self.page.locator("section.own [data-testid^=seat-]").get_attribute("data-testid") or ""
        return int(panel.removeprefix("seat-"))

    def hand(self) -> list[str]:
        """The codes of the own concealed tiles, as shown from left to right."""
        return self._codes(self.page.locator("[data-hand] [data-tile]"))

    def pond(self, seat: int) -> list[str]:
        """The codes of a seat's pond."""
        return self._codes(self.page.get_by_test_id(f"pond-{seat}").locator("[data-tile]"))

    def shot(self, path: Path) -> None:
        """Keeps a picture of the window."""
        self.page.screenshot(path=path)

    def download_records(self) -> Path:
        """Waits for the records of the finished match and keeps them all in one file."""
        button = self.page.get_by_test_id("download-all")
        expect(button).to_be_enabled()
        with self.page.expect_download() as download:
            button.click()
        path = self.downloads / download.value.suggested_filename
        download.value.save_as(path)
        return path

    @staticmethod
    def _codes(tiles: Locator) -> list[str]:
        return [str(code) for code in tiles.evaluate_all("tiles => tiles.map((tile) => tile.dataset.tile)")]


def click_unless_gone(button: Locator) -> None:
    """Clicks, unless the question lapses before the hand is there: somebody nearer has won, say."""
    with suppress(PlaywrightTimeoutError):
        button.click(timeout=2_000)


def by_mouse(player: Player) -> None:
    """Takes the first answer on offer, else discards the tile on the left."""
    click_unless_gone(player.page.locator(_ANSWERS).first)


def by_keyboard(player: Player) -> None:
    """Wins where it can, passes everything else, and throws the drawn tile away."""
    actions = player.page.locator("[data-actions]")
    if actions.locator("[data-action=win], [data-action=rob_flower]").count():
        player.page.keyboard.press("w")
    elif actions.locator("[data-action=pass], [data-action=continue], [data-action=no_original_call]").count():
        player.page.keyboard.press("n")
    else:  # It is the own turn, or was not any more when it was asked; then something else will come.
        tile = player.page.locator("[data-hand] button:focus")
        expect(tile.or_(player.page.locator(f"{_BUTTONS}, {_CONFIRM}")).first).to_be_visible()
        if tile.count():
            player.page.keyboard.press("Enter")


def _is_complaint(text: str, kind: str) -> bool:
    """Whether a line of the console is an error of the page: a call that the server refused is none."""
    return kind == "error" and "Failed to load resource" not in text and "net::ERR" not in text
