"""Accounts in a real browser against the real platform. Each test has names of its own: an account keeps its name."""

from playwright.sync_api import Locator, expect

from tests.e2e.player import Player, by_mouse
from tests.e2e.test_web_client import NewPlayer

PASSWORD = "seven quiet bamboos"


def fill(form: Locator, **values: str) -> None:
    """Fills the fields of a form, named by their labels with underscores."""
    for label, value in values.items():
        form.get_by_label(label.replace("_", " "), exact=True).fill(value)


def register(player: Player, login_name: str, display_name: str) -> None:
    """Makes a new account on the sign-in view."""
    player.open()
    player.page.get_by_role("radio", name="New account").check()
    fill(player.page.locator("form"), Name_at_the_table=display_name, Login_name=login_name, Password=PASSWORD)
    player.page.get_by_role("button", name="Create the account").click()
    expect(player.page.get_by_test_id("player-name")).to_have_text(display_name)


def sign_in(player: Player, login_name: str, password: str = PASSWORD) -> None:
    """Presses the button of the sign-in view's form; whether it works is the caller's to see."""
    player.page.get_by_role("radio", name="Sign in").check()
    fill(player.page.locator("form"), Login_name=login_name, Password=password)
    player.page.get_by_role("button", name="Sign in with this account").click()


def test_guest_becomes_an_account_and_finds_the_match_again_after_signing_in(new_player: NewPlayer):
    player = new_player()
    page = player.page
    player.sign_in("Emmy")
    player.start_practice("Classical")
    player.play(by_mouse)
    expect(page.get_by_test_id("download-all")).to_be_enabled()  # The match is listed from then on.
    page.get_by_test_id("player-name").click()
    upgrade = page.get_by_test_id("upgrade")
    expect(upgrade.get_by_label("Name at the table")).to_have_value("Emmy")
    fill(upgrade, Login_name="emmy", Password=PASSWORD)
    upgrade.get_by_role("button").click()
    expect(page.get_by_role("status")).to_contain_text("you have an account now")
    expect(page.get_by_test_id("account-kind")).to_contain_text("Account since")
    page.get_by_role("button", name="Sign out", exact=True).click()
    sign_in(player, "Emmy", "another password")
    expect(page.get_by_role("alert")).to_have_text("The login name or the password is wrong.")
    sign_in(player, "Emmy")
    expect(page.get_by_test_id("player-name")).to_have_text("Emmy")
    matches = page.get_by_test_id("matches")
    matches.get_by_label("Rules").select_option("Taiwanese")
    expect(matches).to_contain_text("No match is like that.")
    matches.get_by_label("Rules").select_option("Classical")
    expect(matches.get_by_role("link")).to_have_count(1)
    matches.get_by_label("To").fill("2020-01-31")
    expect(matches).to_contain_text("No match is like that.")
    matches.get_by_label("To").fill("")
    matches.get_by_role("link").click()
    expect(page.get_by_test_id("hands").get_by_role("listitem")).to_have_count(1)


def test_name_of_an_account_or_one_that_looks_like_it_is_refused_at_its_field(new_player: NewPlayer):
    owner, guest = new_player(), new_player()
    register(owner, "sophie", "Sophie Germain")
    guest.sign_in("Maria")
    guest.open("#/account")
    rename = guest.page.get_by_test_id("rename")
    for name in ("SOPHIE GERMAIN", "Sophie Gerrnain", "S\N{CYRILLIC SMALL LETTER O}phie Germain"):
        fill(rename, Name_at_the_table=name)
        rename.get_by_role("button").click()
        expect(rename.get_by_role("alert")).to_have_text("Another player has this name, or one that looks like it.")
        expect(rename.get_by_label("Name at the table")).to_have_attribute("aria-invalid", "true")
        expect(guest.page.get_by_test_id("player-name")).to_have_text("Maria")
    fill(rename, Name_at_the_table="Moderator")
    rename.get_by_role("button").click()
    expect(rename.get_by_role("alert")).to_have_text("This name is kept for the platform itself.")
    fill(rename, Name_at_the_table="Maria Agnesi")
    rename.get_by_role("button").click()
    expect(guest.page.get_by_role("status")).to_have_text("Your name is changed.")
    expect(guest.page.get_by_test_id("player-name")).to_have_text("Maria Agnesi")


def test_new_password_signs_out_the_other_device_and_signs_in_from_then_on(new_player: NewPlayer):
    first, second = new_player(), new_player()
    register(first, "hypatia", "Hypatia")
    second.open()
    sign_in(second, "hypatia")
    expect(second.page.get_by_test_id("player-name")).to_have_text("Hypatia")
    first.open("#/account")
    expect(first.page.get_by_test_id("devices").get_by_role("listitem")).to_have_count(2)
    form = first.page.get_by_test_id("password")
    fill(form, Present_password=PASSWORD, New_password="eight quiet bamboos")
    form.get_by_role("button").click()
    expect(first.page.get_by_role("status")).to_contain_text("Your password is changed.")
    expect(first.page.get_by_test_id("devices").get_by_role("listitem")).to_have_count(1)
    first.page.reload()
    expect(first.page.get_by_test_id("player-name")).to_have_text("Hypatia")
    first.page.get_by_role("button", name="Sign out everywhere").click()
    first.page.get_by_role("button", name="End every session").click()
    sign_in(first, "hypatia", "eight quiet bamboos")
    expect(first.page.get_by_test_id("player-name")).to_have_text("Hypatia")


def test_account_is_deleted_only_by_its_password_and_is_gone_afterwards(new_player: NewPlayer):
    player = new_player(width=360, height=740)
    page = player.page
    register(player, "caroline", "Caroline Herschel")
    page.get_by_test_id("player-name").click()
    leaving = page.get_by_test_id("leaving")
    leaving.get_by_role("button", name="Delete the account").click()
    fill(leaving, Password="not the password")
    leaving.get_by_role("button", name="Delete for good").click()
    expect(leaving.get_by_role("alert")).to_have_text("The password is wrong.")
    assert page.evaluate("document.documentElement.scrollWidth - window.innerWidth") <= 0
    fill(leaving, Password=PASSWORD)
    leaving.get_by_role("button", name="Delete for good").click()
    expect(page.get_by_role("button", name="Play as a guest")).to_be_visible()
    sign_in(player, "caroline")
    expect(page.get_by_role("alert")).to_have_text("The login name or the password is wrong.")
