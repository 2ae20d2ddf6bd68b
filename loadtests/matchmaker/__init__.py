"""How well and how fast the matchmaker groups."""
