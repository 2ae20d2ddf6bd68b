"""`mahjong play`: wiring of a match in the terminal."""

import asyncio
from collections.abc import Awaitable, Callable
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import grpc
import typer
from google.protobuf.duration_pb2 import Duration
from rich.console import Console

from mahjong_cli.gateway import Address, Authority, gateway_at
from mahjong_cli.lines import clean_endings, write_line
from mahjong_cli.play import private
from mahjong_cli.play.computer import Computer
from mahjong_cli.play.lobby import NotSeatedError, own_table, practice, quick_play
from mahjong_cli.play.mirror import Mirror
from mahjong_cli.play.person import Person, standard_input
from mahjong_cli.play.seat import Chooser, play_seat
from mahjong_cli.play.session import CALL_TIMEOUT_S, Session, SessionFileError, open_session
from mahjong_cli.play.words import event_words
from mahjong_kit.errors import reason_of
from mahjongplanet.game.v1 import terms_pb2 as terms
from mahjongplanet.matchmaker.v1 import matchmaker_service_pb2 as matchmaker
from mahjongplanet.matchmaker.v1 import room_service_pb2 as room_pb
from mahjongplanet.rating.v1 import rating_service_pb2 as rating
from mahjongplanet.replay.v1 import replay_service_pb2 as replay
from mahjongplanet.table.v1 import event_pb2 as pb
from mahjongplanet.table.v1 import table_service_pb2 as service

RESULT_WAIT_S = 10
RECORD_ATTEMPTS = 50
RECORD_PAUSE_S = 0.2

console = Console(stderr=True, highlight=False)


class RuleSetName(StrEnum):
    """Rule sets by their names in hand records."""

    CLASSICAL = "classical"
    TAIWANESE = "taiwanese"


class ClockName(StrEnum):
    """Clocks of practice tables."""

    BULLET = "bullet"
    BLITZ = "blitz"
    STANDARD = "standard"
    RELAXED = "relaxed"
    UNTIMED = "untimed"


class LengthName(StrEnum):
    """Match lengths by their names in hand records."""

    FULL = "full"
    EAST_ROUND = "east_round"
    ONE_HAND = "one_hand"


class LevelName(StrEnum):
    """Levels of computer players."""

    BASIC = "basic"
    STRONG = "strong"


def play(
    rule_set: Annotated[RuleSetName, typer.Option(help="Rule set to play.")] = RuleSetName.CLASSICAL,
    address: Address = "127.0.0.1:8081",
    name: Annotated[str, typer.Option(help="Name to show; the server chooses one if empty.")] = "",
    *,
    authority: Authority = None,
    rated: Annotated[bool, typer.Option("--rated", help="Queue for a rated match.")] = False,
    practise: Annotated[bool, typer.Option("--practice", help="Play against three computers at once.")] = False,
    host: Annotated[
        int | None, typer.Option(min=1, max=4, help="Open a private table for so many people; computers take the rest.")
    ] = None,
    join: Annotated[str, typer.Option(help="Sit down at the private table of this invite code.")] = "",
    matches: Annotated[int, typer.Option(min=1, help="Matches to play at the private table, with rematches.")] = 1,
    clock: Annotated[ClockName, typer.Option(help="Clock of the table.")] = ClockName.STANDARD,
    length: Annotated[LengthName, typer.Option(help="Length of the practice or private match.")] = LengthName.FULL,
    opponents: Annotated[LevelName, typer.Option(help="Level of the computers there.")] = LevelName.BASIC,
    auto: Annotated[LevelName | None, typer.Option(help="Let a computer player of this level decide.")] = None,
    session: Annotated[Path | None, typer.Option(help="File that keeps who you are, to come back to a seat.")] = None,
    records: Annotated[Path | None, typer.Option(help="Directory to save the hand records in afterwards.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON line about each match at its end.")] = False,
) -> None:
    """Plays a match through the gateway, in the terminal or by a computer player.

    Goes back to the seat that the player has already, if there is one. Exit status 1 if the match could not be played.
    """
    if host and join:
        raise typer.BadParameter("--host and --join exclude each other")
    level = terms.ComputerLevel.Value(f"COMPUTER_LEVEL_{opponents.name}")
    wanted = room_pb.RoomSettings(
        rule_set=terms.RuleSet.Value(f"RULE_SET_{rule_set.name}"),
        clock=terms.Clock.Value(f"CLOCK_{clock.name}"),
        length=terms.MatchLength.Value(f"MATCH_LENGTH_{length.name}"),
    )

    async def run() -> None:
        async with open_session(gateway_at(address, authority), name, session) as player:
            chooser: Chooser = Computer(auto) if auto else Person(console, await standard_input())

            async def play_at(table_id: str) -> None:
                table = await play_seat(player, table_id, chooser, _show_event)
                await _report(player, table, records, as_json=as_json)

            if host or join:
                computers = [level] * (4 - (host or 4))
                room = await (private.join_room(player, join) if join else private.open_room(player, wanted, computers))
                await _play_matches(player, room, matches, play_at, hosts=bool(host), as_json=as_json)
                return
            table_id = await own_table(player)
            if table_id is None and practise:
                table_id = await practice(player, wanted.rule_set, wanted.clock, wanted.length, [level] * 3)
            if table_id is None:
                table_id = await quick_play(player, wanted.rule_set, wanted.clock, rated=rated, show=_show_ticket)
            await play_at(table_id)

    try:
        with clean_endings():
            asyncio.run(run())
    except grpc.aio.AioRpcError as error:
        _fail(f"{error.code().name}: {error.details()} ({reason_of(error)})")
    except (NotSeatedError, SessionFileError, EOFError) as error:
        _fail(str(error))


async def _play_matches(
    player: Session,
    room: room_pb.Room,
    matches: int,
    play_at: Callable[[str], Awaitable[None]],
    *,
    hosts: bool,
    as_json: bool,
) -> None:
    """Plays matches at a private table, with rematches; the host tells the invite first."""
    if hosts:
        console.print(f"Invite: {room.invite.code}", markup=False)
    if hosts and as_json:
        write_line({"invite": room.invite.code, "room_id": room.room_id})
    before = private.matches_before(room)
    for played in range(before, before + matches):
        room = await private.next_match(player, room, played, _show_room, hosts=hosts)
        await play_at(room.table_id)
    await private.leave_room(player, room)


def _fail(text: str) -> None:
    console.print(text, style="red", markup=False)
    raise typer.Exit(1)


def _show_ticket(ticket: matchmaker.Ticket) -> None:
    if ticket.state == matchmaker.TICKET_STATE_QUEUED:
        wait = ticket.expected_wait_duration.ToTimedelta().total_seconds()
        console.print(f"Waiting: {ticket.waiting_count} in the queue, about {wait:.0f} s", markup=False)


def _show_room(room: room_pb.Room) -> None:
    people = [seat.player for seat in room.seats if seat.HasField("player")]
    if room.state == room_pb.ROOM_STATE_OPEN:
        names = ", ".join(one.display_name + (" (ready)" if one.ready else "") for one in people)
        console.print(f"In the room: {names}", markup=False)


def _show_event(mirror: Mirror, message: service.WatchTableResponse) -> None:
    if message.WhichOneof("payload") == "event" and (line := event_words(message.event, mirror.table)):
        console.print(line, markup=False)


async def _report(player: Session, table: pb.TableSnapshot, directory: Path | None, *, as_json: bool) -> None:
    """Tells what the match did to the rating, and saves its records."""
    request = rating.GetMatchRatingRequest(match_id=table.match_id, wait_duration=Duration(seconds=RESULT_WAIT_S))
    rated = await player.call(player.ratings.GetMatchRating, request, timeout_s=RESULT_WAIT_S + CALL_TIMEOUT_S)
    outcome = rating.RatingOutcome.Name(rated.outcome).removeprefix("RATING_OUTCOME_").lower()
    console.print(f"Rating: {outcome.replace('_', ' ')}", markup=False)
    for change in rated.changes:
        if change.player_id == player.profile.player_id:
            console.print(f"Your rating: {change.before.shown} → {change.after.shown}", markup=False)
    if directory is not None:
        await _save_records(player, table.match_id, directory)
    if as_json:
        standings = [{"seat": s.seat, "place": s.place, "score": s.score} for s in table.match_ended.standings]
        write_line(
            {
                "match_id": table.match_id,
                "player_id": player.profile.player_id,
                "seat": table.seat,
                "standings": standings,
                "rating": outcome,
            }
        )


async def _save_records(player: Session, match_id: str, directory: Path) -> None:
    """Writes one `<match>.jsonl`, a hand record a line, as `mahjong verify` reads them."""
    for _ in range(RECORD_ATTEMPTS):
        match = await player.call(player.replays.GetMatch, replay.GetMatchRequest(match_id=match_id))
        if match.match.HasField("end_time"):
            break
        await asyncio.sleep(RECORD_PAUSE_S)
    directory.mkdir(parents=True, exist_ok=True)
    path = directory / f"{match_id}.jsonl"
    with path.open("wb") as file:
        for hand in match.hands:
            record = await player.call(
                player.replays.GetHandRecord,
                replay.GetHandRecordRequest(match_id=match_id, hand_number=hand.hand_number),
            )
            file.write(record.record_json + b"\n")
    console.print(f"Saved {len(match.hands)} hand records: {path}", markup=False)
