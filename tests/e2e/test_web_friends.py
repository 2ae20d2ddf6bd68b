"""Friends and blocks in a real browser against the real platform."""

from playwright.sync_api import expect

from tests.e2e.player import Player
from tests.e2e.test_web_account import register
from tests.e2e.test_web_client import NewPlayer


def ask(player: Player, name: str) -> None:
    """Asks a player by name to be friends."""
    form = player.page.get_by_test_id("add-friend")
    form.get_by_label("Name of the player").fill(name)
    form.get_by_role("button").click()


def test_two_players_become_friends_and_one_blocks_the_other(new_player: NewPlayer):
    lise, otto = new_player(), new_player(width=360, height=740)
    register(lise, "lise", "Lise Meitner")
    register(otto, "otto", "Otto Hahn")
    lise.page.get_by_role("link", name="Friends").click()
    ask(lise, "Nobody at all")
    expect(lise.page.get_by_role("alert")).to_have_text("No player has this name.")
    ask(lise, "otto hahn")
    expect(lise.page.get_by_role("status")).to_have_text("Otto Hahn has been asked.")
    expect(lise.page.get_by_test_id("sent")).to_contain_text("Otto Hahn")
    page = otto.page
    page.get_by_role("link", name="Friends").click()
    page.get_by_role("button", name="Accept Lise Meitner").click()
    friends = page.get_by_test_id("friends")
    expect(friends.get_by_role("listitem")).to_have_count(1)
    expect(friends.get_by_role("link", name="Lise Meitner")).to_be_visible()
    friends.get_by_role("button", name="Block").click()
    assert page.evaluate("document.documentElement.scrollWidth - window.innerWidth") <= 0
    friends.get_by_role("button", name="Block").click()
    expect(page.get_by_test_id("blocked")).to_contain_text("Lise Meitner")
    expect(friends).to_contain_text("No friends yet.")
    ask(lise, "Otto Hahn")
    expect(lise.page.get_by_role("alert")).to_have_text("You cannot do this with this player.")
    page.get_by_role("button", name="Unblock Lise Meitner").click()
    expect(page.get_by_test_id("blocked")).to_contain_text("Nobody is blocked.")
