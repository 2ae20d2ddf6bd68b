"""`mahjong admin`: what operators see and do at table workers."""
