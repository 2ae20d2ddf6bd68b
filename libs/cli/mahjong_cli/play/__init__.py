"""`mahjong play`: a match in the terminal, through the gateway."""
