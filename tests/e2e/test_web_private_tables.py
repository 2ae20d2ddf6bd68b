"""Private tables in real browsers against the real platform: from the invite to the rematch."""

import re

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.player import Player
from tests.e2e.test_web_client import NewPlayer
from tests.kit.stack import Stack
from tests.kit.wire_cutter import wire_cutter

_NOTE_WAITING = """
() => {
  window.noted = [];
  const note = () => noted.push(document.querySelector("[data-testid=waiting]")?.textContent ?? "");
  new MutationObserver(note).observe(document.body, { subtree: true, childList: true, characterData: true });
}
"""
"""Keeps what the page tells while its player waits, however short that is."""

PATIENCE_MS = 60_000
"""Longest wait for what another page has to show first."""

MATCHES_TIMEOUT_S = 600
"""Two hands of four browsers on a busy machine."""


def open_room(host: Player, name: str, *choices: str) -> str:
    """Signs in and opens a private table under these terms; returns its link."""
    host.sign_in(name)
    page = host.page
    page.get_by_role("link", name="Create a private table").click()
    form = page.get_by_test_id("create-room")
    for choice in ("One hand", *choices):
        form.get_by_role("radio", name=choice).first.check()
    form.get_by_role("button", name="Create the table").click()
    expect(page.get_by_test_id("room")).to_have_attribute("data-state", "live", timeout=PATIENCE_MS)
    return page.get_by_test_id("link").input_value()


def sign_in_at(guest: Player, name: str, link: str) -> Page:
    """Opens an invite on a new device and signs in there; returns the page, which shows the invite."""
    page = guest.page
    page.goto(link)
    page.get_by_label("Your name").fill(name)
    page.get_by_role("button", name="Play as a guest").click()
    expect(page.get_by_test_id("invite")).to_be_visible()
    return page


def join(guest: Player, name: str, link: str) -> None:
    """Follows an invite into the room."""
    page = sign_in_at(guest, name, link)
    page.get_by_test_id("invite").get_by_role("button", name="Join").click()
    expect(page.get_by_test_id("room")).to_have_attribute("data-state", "live", timeout=PATIENCE_MS)


def begin(players: list[Player], start: str) -> set[str]:
    """Makes the guests ready and starts the match; returns the addresses of the table that the pages came to."""
    host, *guests = players
    for guest in guests:
        guest.page.get_by_role("button", name="I'm ready", exact=True).click()
    host.page.get_by_role("button", name=start).click(timeout=PATIENCE_MS)
    for player in players:
        player.page.wait_for_url("**/#/table/*", timeout=PATIENCE_MS)
    return {player.page.url for player in players}


def play_out(players: list[Player]) -> None:
    """Lets the pages press their own buttons until each shows the standings."""
    for player in players:
        player.play_by_itself()
    for player in players:
        expect(player.page.get_by_test_id("final")).to_be_visible(timeout=4 * PATIENCE_MS)


def back_to_room(player: Player) -> None:
    """Follows the result's way back to the room, whose stage is set anew."""
    player.page.get_by_role("link", name="Back to the private table").click()
    expect(player.page.get_by_test_id("begin")).to_be_visible(timeout=PATIENCE_MS)
    player.page.reload()  # also ends what presses the buttons by itself
    expect(player.page.get_by_test_id("begin")).to_be_visible(timeout=PATIENCE_MS)


@pytest.mark.timeout(MATCHES_TIMEOUT_S)
def test_four_browsers_form_a_private_table_by_invite_play_a_match_and_a_rematch(new_player: NewPlayer):
    players = [new_player() for _ in range(4)]
    host, *guests = players
    link = open_room(host, "Ada", "Untimed")
    for guest, name in zip(guests, ("Grace", "Alan", "Edsger"), strict=True):
        join(guest, name, link)
    for seat, name in enumerate(("Ada", "Grace", "Alan", "Edsger")):
        expect(host.page.get_by_test_id(f"seat-{seat}")).to_contain_text(name)
    tables = [begin(players, "Start the match")]
    play_out(players)
    expect(host.page.get_by_test_id("rating")).to_contain_text("Ratings are unchanged")
    for player in players:
        back_to_room(player)
    tables.append(begin(players, "Start the rematch"))
    play_out(players)
    assert [len(addresses) for addresses in tables] == [1, 1]
    assert tables[0] != tables[1]


def test_invite_to_a_full_table_is_refused_with_its_reason(new_player: NewPlayer):
    host, late = new_player(), new_player()
    link = open_room(host, "Ada")
    page = sign_in_at(late, "Grace", link)
    expect(page.get_by_test_id("invite")).to_contain_text("3 open seats")
    for seat in ("Seat 2", "Seat 3", "Seat 4"):
        host.page.get_by_label(seat, exact=True).select_option(label="Computer (basic)")
    expect(host.page.get_by_role("button", name="Start the match")).to_be_enabled()
    page.get_by_role("button", name="Join").click()
    expect(page.get_by_role("alert")).to_have_text("Every seat of this room is taken.")
    page.get_by_role("link", name="To the lobby").click()
    page.get_by_label("Invite code").fill("0000 0000")
    page.get_by_role("button", name="Show the table").click()
    expect(page.get_by_role("alert")).to_have_text("This invite is not known.")


def test_room_is_still_there_after_a_reload_a_lost_connection_and_a_look_at_the_lobby(
    new_player: NewPlayer, stack: Stack
):
    with wire_cutter(stack.http.removeprefix("http://")) as wire:
        guest = new_player(address=f"http://127.0.0.1:{wire.port}")
        host = new_player()
        link = open_room(host, "Ada")
        join(guest, "Grace", link.replace(stack.http, guest.address))
        page, room = guest.page, guest.page.get_by_test_id("room")
        page.get_by_role("button", name="I'm ready", exact=True).click()
        expect(host.page.get_by_test_id("ready")).to_be_visible()
        page.reload()
        expect(room).to_have_attribute("data-state", "live")
        expect(page.get_by_role("button", name="I'm not ready after all")).to_be_visible()
        wire.cut()
        expect(room).to_have_attribute("data-state", "lost")
        wire.mend()
        expect(room).to_have_attribute("data-state", "live")
        page.get_by_role("link", name="Mahjong Planet").click()
        page.get_by_role("link", name="Return to the private table").click()
        expect(page.get_by_test_id("seat-1")).to_contain_text("Grace (you)")
        host.page.get_by_role("button", name="Change").click()
        host.page.get_by_test_id("terms").get_by_role("radio", name="Taiwanese").check()
        host.page.get_by_role("button", name="Save").click()
        expect(page.get_by_test_id("terms-text")).to_contain_text("Taiwanese")
        expect(page.get_by_test_id("announcement")).to_have_text("The terms have changed")
        expect(page.get_by_role("button", name="I'm ready", exact=True)).to_be_visible()


def test_open_table_is_listed_and_who_is_removed_is_told_and_kept_out(new_player: NewPlayer):
    host, guest = new_player(), new_player(width=360, height=740)
    open_room(host, "Barbara", "Everybody")
    guest.sign_in("Grace")
    page = guest.page
    page.get_by_role("button", name="Join Barbara's table").click()
    expect(page.get_by_test_id("seat-1")).to_contain_text("Grace (you)")
    assert page.evaluate("document.documentElement.scrollWidth - window.innerWidth") <= 0
    host.page.get_by_role("button", name="Remove Grace").click()
    host.page.get_by_role("button", name="Remove for good").click()
    expect(page.get_by_test_id("notice")).to_contain_text("the host has removed you")
    page.get_by_role("link", name="To the lobby").click()
    page.get_by_role("button", name="Join Barbara's table").click()
    expect(page.get_by_role("alert")).to_have_text("The host does not let you in.")
    host.page.get_by_role("button", name="Leave", exact=True).click()
    host.page.get_by_role("button", name="Leave the table").click()
    expect(host.page.get_by_test_id("quick-play")).to_be_visible()


def test_room_is_made_filled_and_started_by_keyboard_alone(new_player: NewPlayer):
    player = new_player()
    player.sign_in("Ada")
    page, keys = player.page, player.page.keyboard

    def press(role: str, name: str) -> None:
        page.get_by_role(role, name=name).focus()
        keys.press("Enter")

    press("link", "Create a private table")
    press("button", "Create the table")
    fill = page.get_by_role("radio", name="Wait for people")
    start = page.get_by_role("button", name="Start the match")
    expect(start).to_be_disabled()
    fill.focus()
    keys.press("ArrowRight")
    expect(start).to_be_enabled()
    press("button", "Start the match")
    page.wait_for_url("**/#/table/*")
    expect(page.get_by_test_id("connection")).to_have_attribute("data-state", "live")


def test_party_of_two_finds_a_table_together(new_player: NewPlayer):
    host, guest = new_player(), new_player()
    link = open_room(host, "Ada", "Blitz")
    join(guest, "Grace", link)
    guest.page.get_by_role("button", name="I'm ready", exact=True).click()
    host.page.get_by_role("button", name="Find opponents together").click(timeout=PATIENCE_MS)
    for player in (host, guest):
        player.page.wait_for_url("**/#/table/*", timeout=PATIENCE_MS)
    assert host.page.url == guest.page.url


def test_clock_of_quick_play_is_chosen_and_the_wait_is_told_before_and_while_queueing(new_player: NewPlayer):
    player = new_player()
    player.sign_in("Ada")
    page, form = player.page, player.page.get_by_test_id("quick-play")
    expect(form.get_by_test_id("expected-wait")).to_have_text(re.compile("Expected wait: about .* second"))
    expect(form.get_by_role("radio", name="Standard")).to_be_checked()
    form.get_by_role("radio", name="Relaxed").check()
    page.evaluate(_NOTE_WAITING)
    form.get_by_role("button", name="Find a table").click()
    page.wait_for_url("**/#/table/*")  # computers have taken the other seats
    told = " ".join(page.evaluate("noted.join(' ')").split())
    assert "Classical · Relaxed clock · Casual" in told
    assert "Expected wait: about" in told
    assert "After 8 seconds computers take the seats that are still empty." in told
