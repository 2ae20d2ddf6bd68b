"""`mahjong account`: the account that `mahjong play` plays as."""
