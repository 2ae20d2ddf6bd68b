"""python-chess: another game, the best known rules library in pure Python; its perft is what ours is held against."""

import chess

from loadtests.engine import samples
from loadtests.engine.contest import Contender

ENGINE = "python-chess 1.11.2 (Python)"
DEPTH = 3


def contenders():
    return [
        Contender(ENGINE, "perft", samples.SEEDS, start, lambda board: perft(board, DEPTH), counts=True, least=1),
    ]


def start(seed):
    """Returns a position some legal moves into the game, another one for each seed."""
    board = chess.Board()
    for ply in range(8):
        moves = sorted(board.legal_moves, key=chess.Move.uci)
        board.push(moves[(seed * 31 + ply * 17) % len(moves)])
    return board


def perft(board, depth):
    """Counts the moves made in a full search to a depth; those of the last ply are made and unmade too."""
    nodes = 0
    for move in board.legal_moves:
        board.push(move)
        nodes += 1
        if depth > 1:
            nodes += perft(board, depth - 1)
        board.pop()
    return nodes
