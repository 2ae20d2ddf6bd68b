"""The end of a hand: with wins, by flowers or without a winner (C40, C41; T20, T43, T44)."""

from mahjong_engine.event import Ending, HandEnded
from mahjong_engine.keys import remove, tiles_of
from mahjong_engine.play import NOBODY_ASKED, Play
from mahjong_engine.settlement import ScoringCase, SeatTiles, Settlement, WinClaim
from mahjong_engine.state import SEATS, Phase, Scores
from mahjong_engine.tile import Seat, Tile


def end_without_winner(play: Play) -> None:
    """Ends the hand without payments (C41, T44)."""
    shown = play.rules.rulings.shown_without_winner
    _end(play, Ending.DRAW, (), None, tuple(tiles_of(play.keys[s]) if s in shown else None for s in SEATS))


def end_with_wins(play: Play, wins: tuple[WinClaim, ...], ended: Ending = Ending.WIN) -> None:
    """Scores the wins and ends the hand (C40, T43)."""
    case = scoring_case(play, wins)
    shown = play.rules.rulings.shown_after_win
    concealed = tuple(tiles_of(case.seats[s].concealed) if s in shown else None for s in SEATS)
    _end(play, ended, wins, play.rules.settle(case), concealed)


def scoring_case(play: Play, wins: tuple[WinClaim, ...]) -> ScoringCase:
    """Returns what the end of the hand is scored from."""

    def seat_tiles(seat: Seat) -> SeatTiles:
        keys = play.keys[seat]
        for win in wins:
            if win.seat == seat and win.from_seat is None and win.tile is not None:
                keys = remove(keys, win.tile)
        return SeatTiles(keys, play.melds[seat], play.bonus[seat], play.original_calls[seat])

    east, south, west, north = map(seat_tiles, SEATS)
    return ScoringCase(
        dealer=play.deal.dealer,
        round_wind=play.deal.round_wind,
        seats=(east, south, west, north),
        wins=wins,
        live_tiles_left=play.live_tiles_left,
        discards=sum(play.ponds, ()),
        discard_count=sum(play.discard_counts),
        kongs_in_turn=play.kongs_in_row[wins[0].seat],
        dealer_wins_before=play.deal.dealer_wins,
    )


def _end(
    play: Play,
    ended: Ending,
    wins: tuple[WinClaim, ...],
    settlement: Settlement | None,
    concealed: tuple[tuple[Tile, ...] | None, ...],
) -> None:
    changes: Scores = settlement.changes if settlement else (0, 0, 0, 0)
    a, b, c, d = (score + change for score, change in zip(play.deal.scores, changes, strict=True))
    seats = tuple(sorted(win.seat for win in wins))
    changed, won = play.rules.next_dealership(play.deal, seats)
    play.phase = Phase.OVER
    play.options = list(NOBODY_ASKED)
    play.result = HandEnded(ended, wins, settlement, changes, (a, b, c, d), changed, won, concealed)
    play.events.append(play.result)
