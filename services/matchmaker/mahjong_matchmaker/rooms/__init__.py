"""Private tables and parties: rooms that people enter by invite."""
