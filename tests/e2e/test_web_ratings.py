"""Leaderboards and ratings in a real browser. The rating service gets reports of matches as from the table service."""

import json
import time
import uuid
from pathlib import Path

import grpc
from google.protobuf.timestamp_pb2 import Timestamp
from playwright.sync_api import expect

from mahjong_kit.auth import InternalTokens, Service
from mahjongplanet.game.v1.terms_pb2 import COMPUTER_LEVEL_STRONG, RULE_SET_TAIWANESE, TABLE_KIND_RATED, Occupant
from mahjongplanet.rating.v1.rating_service_pb2 import ReportMatchRequest, SeatResult
from mahjongplanet.rating.v1.rating_service_pb2_grpc import RatingServiceStub
from tests.e2e.player import Player
from tests.e2e.test_web_client import NewPlayer
from tests.kit.stack import Stack
from tests.kit.tokens import bearer

PROVISIONAL_MATCHES = 20


def player_id(player: Player) -> str:
    """The id of whoever is signed in at the page."""
    return str(player.page.evaluate("JSON.parse(localStorage.getItem('mahjongplanet.session')).playerId"))


def report_matches(stack: Stack, winner: Occupant, loser: Occupant, count: int) -> None:
    """Reports rated matches of two people and two computers, in the name of the table service."""
    log = (stack.data / "log" / "rating.log").read_text().splitlines()
    port = next(line["port"] for line in map(json.loads, log) if line["event"] == "service.started")
    tokens = InternalTokens(Service("table"), Path(stack.data, "service.key").read_text())
    computer = Occupant(computer=COMPUTER_LEVEL_STRONG, display_name="Computer")
    seats = [(computer, 3000), (winner, 2500), (loser, 1500), (computer, 1000)]
    end = Timestamp(seconds=int(time.time()))
    with grpc.insecure_channel(f"127.0.0.1:{port}") as channel:
        for _ in range(count):
            request = ReportMatchRequest(
                match_id=str(uuid.uuid4()),
                rule_set=RULE_SET_TAIWANESE,
                table_kind=TABLE_KIND_RATED,
                seats=[SeatResult(occupant=occupant, score=score) for occupant, score in seats],
                end_time=end,
            )
            RatingServiceStub(channel).ReportMatch(request, metadata=bearer(tokens.token()), timeout=20)


def test_leaderboard_shows_rated_people_and_their_history_but_no_computers(new_player: NewPlayer, stack: Stack):
    sonya, emil = new_player(), new_player(width=360, height=740)
    sonya.sign_in("Sonya K")
    emil.sign_in("Emil A")
    occupants = [
        Occupant(player_id=player_id(who), display_name=name) for who, name in ((sonya, "Sonya K"), (emil, "Emil A"))
    ]
    report_matches(stack, *occupants, count=PROVISIONAL_MATCHES - 1)
    page = sonya.page
    page.get_by_role("link", name="Ratings").click()
    expect(page.get_by_role("heading", name="Leaderboards")).to_be_visible()  # The lobby has such choices too.
    page.get_by_role("radio", name="Taiwanese").check()
    expect(page.get_by_test_id("standing")).to_contain_text("provisional")
    expect(page.get_by_test_id("standing")).to_contain_text("You have played 19.")
    report_matches(stack, *occupants, count=1)
    page.reload()
    page.get_by_role("radio", name="Taiwanese").check()
    expect(page.get_by_test_id("standing")).to_contain_text("1st of 2")
    expect(page.get_by_test_id("standing")).not_to_contain_text("provisional")
    rows = page.get_by_test_id("leaderboard").locator("tbody tr")
    expect(rows).to_have_count(2)
    expect(rows.first).to_contain_text("Sonya K")
    expect(page.get_by_test_id("leaderboard")).not_to_contain_text("Computer")
    rows.last.get_by_role("link").click()
    expect(page.get_by_role("heading", name="Emil A")).to_be_visible()
    page.get_by_role("button", name="Ask to be friends").click()
    expect(page.get_by_role("status")).to_have_text("Emil A has been asked.")
    page.get_by_role("radio", name="Taiwanese").check()
    history = page.get_by_test_id("rating-history").get_by_role("listitem")
    expect(history).to_have_count(PROVISIONAL_MATCHES)
    expect(history.last).to_contain_text("1500 →")
    expect(history.first).to_contain_text("against Sonya K")
    emil.open("#/ratings")
    expect(emil.page.get_by_role("heading", name="Leaderboards")).to_be_visible()
    emil.page.get_by_role("radio", name="Taiwanese").check()
    expect(emil.page.get_by_test_id("standing")).to_contain_text("2nd of 2")
    assert emil.page.evaluate("document.documentElement.scrollWidth - window.innerWidth") <= 0
