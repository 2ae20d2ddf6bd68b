"""`mahjong serve`: every service of the platform on this machine, under one supervisor."""
