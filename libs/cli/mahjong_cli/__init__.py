"""The command mahjong: score, simulate, verify, legal, play, serve."""
