"""Full quick-play matches in a real browser against the real platform."""

import pytest
from playwright.sync_api import expect

from tests.e2e.player import by_mouse
from tests.e2e.test_web_client import NewPlayer, verify

MATCH_TIMEOUT_S = 900
"""A full match has sixteen hands at the least, and often thirty."""


def test_cancelled_search_goes_back_to_the_lobby(new_player: NewPlayer):
    player = new_player()
    player.sign_in("Ada")
    player.choose_queue("Classical", "Rated").click()  # A pool that computers do not fill.
    player.page.get_by_role("button", name="Cancel").click()
    expect(player.page.get_by_test_id("quick-play")).to_be_visible()
    with player.page.expect_response("**/GetMyTicket"):
        player.page.reload()
    expect(player.page.get_by_test_id("quick-play")).to_be_visible()


@pytest.mark.timeout(MATCH_TIMEOUT_S)
def test_casual_taiwanese_match_is_played_to_its_end_and_listed(new_player: NewPlayer):
    player = new_player()
    player.sign_in("Ada")
    player.choose_queue("Taiwanese", "Casual").click()
    player.page.wait_for_url("**/#/table/*")
    player.play(by_mouse)
    page = player.page
    assert player.results_seen >= 16
    expect(page.get_by_test_id("rating")).to_have_attribute("data-outcome", "SKIPPED_NOT_RATED")
    expect(page.get_by_test_id("shuffle")).to_have_attribute("data-verdict", "true")
    assert verify(player.download_records()) == player.results_seen
    page.get_by_role("link", name="Back to the lobby").click()
    page.get_by_test_id("matches").get_by_role("link").click()
    expect(page.get_by_test_id("hands").get_by_role("listitem")).to_have_count(player.results_seen)
    expect(page.get_by_test_id("shuffle")).to_have_attribute("data-nonce", "included")


@pytest.mark.timeout(MATCH_TIMEOUT_S)
def test_rated_classical_match_of_two_people_changes_both_ratings_once(new_player: NewPlayer):
    ada, grace = new_player(), new_player()
    for player, name in ((ada, "Ada"), (grace, "Grace")):
        player.sign_in(name)
    for button in [player.choose_queue("Classical", "Relaxed", "Rated") for player in (ada, grace)]:
        button.click()
    for player in (ada, grace):
        player.page.wait_for_url("**/#/table/*")
    grace.play_by_itself()
    ada.play(by_mouse)
    for player in (ada, grace):
        rating = player.page.get_by_test_id("rating")
        expect(rating).to_have_attribute("data-outcome", "APPLIED")
        expect(rating.get_by_role("listitem")).to_have_count(2)
        expect(rating).to_contain_text("1500 →")
    assert verify(ada.download_records()) == ada.results_seen
