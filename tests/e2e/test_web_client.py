"""Matches played in a real browser against the real platform."""

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import expect

from mahjongplanet.game.v1.terms_pb2 import ACTION_KIND_DISCARD, Action
from mahjongplanet.table.v1.table_service_pb2 import SubmitActionRequest
from tests.e2e.player import Player, by_keyboard, by_mouse
from tests.kit.stack import Stack
from tests.kit.wire_cutter import wire_cutter

NewPlayer = Callable[..., Player]

RULES = pytest.mark.parametrize("rules", ["Classical", "Taiwanese"])


def verify(records: Path) -> int:
    """Lets `mahjong verify` referee the records again; returns how many it accepted."""
    done = subprocess.run(
        [sys.executable, "-m", "mahjong_cli", "verify", str(records)], capture_output=True, text=True, check=False
    )
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    assert [answer for answer in answers if not answer["ok"]] == []
    assert done.returncode == 0, done.stderr
    return len(answers)


@RULES
def test_one_hand_by_mouse_ends_with_its_score_and_a_record_that_verifies(new_player: NewPlayer, rules: str):
    player = new_player()
    player.sign_in("Ada")
    player.start_practice(rules)
    player.play(by_mouse)
    page = player.page
    assert player.results_seen == 1
    expect(page.get_by_test_id("standings").locator("tbody tr")).to_have_count(4)
    expect(page.get_by_test_id("rating")).to_contain_text("Ratings are unchanged")
    expect(page.get_by_test_id("shuffle")).to_have_attribute("data-verdict", "true")
    expect(page.get_by_test_id("shuffle")).to_have_attribute("data-nonce", "included")
    assert verify(player.download_records()) == 1


@RULES
def test_one_hand_by_keyboard_alone_ends_with_standings(new_player: NewPlayer, rules: str):
    player = new_player()
    page, keys = player.page, player.page.keyboard
    player.open()
    page.get_by_label("Your name").focus()
    keys.type("Grace")
    keys.press("Enter")
    expect(page.get_by_test_id("player-name")).to_have_text("Grace")
    form = page.get_by_test_id("practice")
    form.get_by_role("radio", name="Classical").focus()
    if rules == "Taiwanese":
        keys.press("ArrowRight")
    form.get_by_role("button", name="Start practice").focus()
    keys.press("Enter")
    expect(page.get_by_test_id("actions")).to_be_visible()
    player.play(by_keyboard, until=lambda who: who.page.get_by_test_id("confirm").is_visible())
    expect(page.get_by_test_id("confirm")).to_be_focused()
    keys.press("Enter")
    expect(page.get_by_test_id("final")).to_be_visible()


def test_arrow_keys_choose_the_tile_that_enter_discards(new_player: NewPlayer):
    player = new_player()
    player.sign_in("Ada")
    player.practise_to_own_turn("Classical")
    before = player.hand()
    player.page.keyboard.press("ArrowLeft")
    player.page.keyboard.press("ArrowLeft")
    with player.page.expect_request("**/SubmitAction") as request:
        player.page.keyboard.press("Enter")
    sent = SubmitActionRequest.FromString(request.value.post_data_buffer or b"")
    assert sent.action == Action(kind=ACTION_KIND_DISCARD, tile=before[-3])


@RULES
def test_reload_in_mid_hand_keeps_seat_tiles_and_question(new_player: NewPlayer, rules: str):
    player = new_player()
    player.sign_in("Ada")
    player.practise_to_own_turn(rules, 4)
    page = player.page

    def seen() -> list[object]:
        question = page.get_by_test_id("actions").get_attribute("data-decision")
        return [sorted(player.hand()), [player.pond(seat) for seat in range(4)], question]

    before = seen()
    page.reload()
    assert player.moment() == "actions"
    assert seen() == before
    player.open("#/")
    page.reload()
    page.get_by_role("link", name="Return to your table").click()
    assert player.moment() == "actions"
    assert seen() == before


def test_lost_connection_is_shown_and_the_hand_goes_on_after_it(new_player: NewPlayer, stack: Stack):
    with wire_cutter(stack.http.removeprefix("http://")) as wire:
        player = new_player(address=f"http://127.0.0.1:{wire.port}")
        player.sign_in("Ada")
        player.practise_to_own_turn("Classical")
        state = player.page.get_by_test_id("connection")
        expect(state).to_have_attribute("data-state", "live")
        hand = player.hand()
        wire.cut()
        expect(state).to_have_attribute("data-state", "reconnecting")
        wire.mend()
        expect(state).to_have_attribute("data-state", "live")
        assert player.hand() == hand
        player.play(by_keyboard, until=lambda who: who.page.get_by_test_id("confirm").is_visible())


def test_answer_given_while_the_connection_is_lost_is_accepted_once_it_is_back(new_player: NewPlayer, stack: Stack):
    with wire_cutter(stack.http.removeprefix("http://")) as wire:
        player = new_player(address=f"http://127.0.0.1:{wire.port}")
        player.sign_in("Ada")
        player.practise_to_own_turn("Classical")
        own = player.own_seat()
        (before, tile) = (player.pond(own), player.hand()[-1])
        wire.cut()
        player.page.keyboard.press("Enter")
        expect(player.page.get_by_test_id("actions")).to_contain_text("Sending")
        wire.mend()
        expect(player.page.get_by_test_id("connection")).to_have_attribute("data-state", "live")
        expect(player.page.get_by_test_id("actions")).not_to_contain_text("Sending")
        assert player.pond(own)[: len(before) + 1] in ([*before, tile], before)  # claimed at once, perhaps
        assert player.moment() in {"actions", "confirm"}


def test_second_window_takes_the_seat_and_the_first_can_take_it_back(new_player: NewPlayer):
    player = new_player()
    player.sign_in("Ada")
    player.start_practice("Classical")
    assert player.moment() == "actions"
    first, second = player.page, player.page.context.new_page()
    second.goto(first.url)
    expect(second.get_by_test_id("connection")).to_have_attribute("data-state", "live")
    expect(first.get_by_test_id("connection")).to_have_attribute("data-state", "taken")
    first.get_by_role("button", name="Play here").click()
    expect(first.get_by_test_id("connection")).to_have_attribute("data-state", "live")
    expect(second.get_by_test_id("connection")).to_have_attribute("data-state", "taken")


def test_practice_can_be_left_and_the_lobby_offers_no_way_back(new_player: NewPlayer):
    player = new_player()
    player.sign_in("Ada")
    player.start_practice("Taiwanese")
    assert player.moment() == "actions"
    player.page.get_by_role("button", name="Leave", exact=True).click()
    player.page.get_by_role("button", name="Leave the match").click()
    expect(player.page.get_by_test_id("practice")).to_be_visible()
    with player.page.expect_response("**/GetMyTable") as told:
        player.page.reload()
    assert not told.value.ok
    expect(player.page.get_by_test_id("quick-play")).to_be_visible()
    expect(player.page.get_by_role("link", name="Return to your table")).to_have_count(0)


def test_signed_out_device_forgets_the_guest(new_player: NewPlayer):
    player = new_player()
    player.sign_in("Ada")
    player.open("#/account")
    player.page.get_by_role("button", name="Sign out", exact=True).click()
    player.page.get_by_role("button", name="Sign out for good").click()
    expect(player.page.get_by_role("button", name="Play as a guest")).to_be_visible()
    player.page.reload()
    expect(player.page.get_by_role("button", name="Play as a guest")).to_be_visible()
    assert player.page.evaluate("localStorage.getItem('mahjongplanet.session')") is None


def test_page_is_served_under_a_strict_content_security_policy(new_player: NewPlayer):
    player = new_player()
    with player.page.expect_response(lambda response: response.url == f"{player.address}/") as response:
        player.sign_in("Ada")
    policy = response.value.headers["content-security-policy"]
    assert "script-src 'self';" in policy
    assert "unsafe" not in policy


@RULES
def test_phone_shows_lobby_table_and_result_within_its_width(new_player: NewPlayer, rules: str):
    player = new_player(width=390, height=844)

    def overflow() -> int:
        return int(player.page.evaluate("document.documentElement.scrollWidth - window.innerWidth"))

    player.sign_in("Ada Lovelace of London")
    assert overflow() <= 0
    player.start_practice(rules)
    player.play(by_mouse, until=lambda who: overflow() > 0)
    assert overflow() <= 0
