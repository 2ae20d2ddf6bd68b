"""Runs matches: applies decisions, keeps clocks, writes the decision log."""
