"""The replay viewer in a real browser, held against what the replay service itself says of each position."""

import json
import urllib.request
from typing import Any

from playwright.sync_api import expect

from tests.e2e.player import Player, by_mouse
from tests.e2e.test_web_client import RULES, NewPlayer

REPLAY = "mahjongplanet.replay.v1.ReplayService"


def state_of(player: Player, match_id: str, position: int) -> dict[str, Any]:
    """Asks the replay service for the table after an event, with everybody's tiles."""
    token = player.page.evaluate("JSON.parse(localStorage.getItem('mahjongplanet.session')).accessToken")
    body = json.dumps({"matchId": match_id, "handNumber": 0, "position": position}).encode()
    headers = {"content-type": "application/json", "authorization": f"Bearer {token}"}
    request = urllib.request.Request(f"{player.address}/{REPLAY}/GetHandState", body, headers)
    with urllib.request.urlopen(request, timeout=20) as answer:
        return dict(json.load(answer))


def shown_tiles(player: Player) -> dict[str, list[list[str]]]:
    """The ponds and concealed tiles of all seats on the board, the latter sorted."""
    hands = [player.page.get_by_test_id(f"hand-{seat}").locator("[data-tile]") for seat in range(4)]
    codes = "tiles => tiles.map((tile) => tile.dataset.tile)"
    return {
        "ponds": [player.pond(seat) for seat in range(4)],
        "hands": [sorted(hand.evaluate_all(codes)) for hand in hands],
    }


def told_tiles(state: dict[str, Any]) -> dict[str, list[list[str]]]:
    """The same of a table that the service has told."""
    return {
        "ponds": [seat.get("pond", []) for seat in state["hand"]["seats"]],
        "hands": [sorted(hand["concealed"]) for hand in state["hands"]],
    }


@RULES
def test_replay_of_a_finished_hand_shows_at_each_step_what_the_service_tells(new_player: NewPlayer, rules: str):
    player = new_player()
    page, keys = player.page, player.page.keyboard
    player.sign_in("Ada")
    player.start_practice(rules)
    player.play(by_mouse)
    expect(page.get_by_test_id("download-all")).to_be_enabled()
    page.get_by_role("link", name="Replay hand 1").click()
    page.wait_for_url("**/#/match/*/hand/0")
    match_id = page.url.split("/")[-3]
    board = page.get_by_test_id("replay")
    slider = page.get_by_test_id("replay-slider")
    expect(page.get_by_test_id("replay-caption")).to_have_text("Hand 1 is dealt.")
    expect(page.get_by_test_id("replay-previous")).to_be_disabled()
    last = int(slider.get_attribute("max") or "")
    for step in (0, 1, last // 4, last // 2, last - 1, last):
        slider.fill(str(step))
        expect(page.get_by_test_id("replay-step")).to_have_text(f"{step + 1} / {last + 1}")
        position = int(board.get_attribute("data-position") or "")
        state = state_of(player, match_id, position)
        assert shown_tiles(player) == told_tiles(state)
        assert position < state["eventCount"]
    expect(page.get_by_test_id("replay-result").get_by_test_id("payments").locator("tbody tr")).to_have_count(4)
    page.get_by_test_id("replay-first").click()
    expect(board).to_have_attribute("data-position", "0")
    keys.press("ArrowRight")
    keys.press("ArrowRight")
    keys.press("ArrowLeft")
    expect(page.get_by_test_id("replay-step")).to_have_text(f"2 / {last + 1}")
    keys.press("End")
    expect(page.get_by_test_id("replay-next")).to_be_disabled()
    page.get_by_test_id("replay-play").click()
    for passed in (last + 1, 1):  # It begins anew at the end, and goes on by itself.
        expect(page.get_by_test_id("replay-step")).not_to_have_text(f"{passed} / {last + 1}")
    page.get_by_test_id("replay-pause").click()
    page.get_by_label("Show everybody's tiles").uncheck()
    expect(board.locator("[data-testid^=hand-]")).to_have_count(1)


def test_replay_fits_a_phone_and_is_nobody_elses_unless_the_match_was_rated(new_player: NewPlayer):
    player, stranger = new_player(width=360, height=740), new_player()
    player.sign_in("Ada")
    player.start_practice("Taiwanese")
    player.play(by_mouse)
    page = player.page
    page.get_by_role("link", name="Replay hand 1").click()
    slider = page.get_by_test_id("replay-slider")
    last = int(slider.get_attribute("max") or "")
    for step in (0, last // 2, last):
        slider.fill(str(step))
        assert page.evaluate("document.documentElement.scrollWidth - window.innerWidth") <= 0
    stranger.sign_in("Grace")
    stranger.open(page.url.removeprefix(f"{player.address}/"))
    expect(stranger.page.get_by_role("alert")).to_have_text("This match is not among yours.")
