"""Guests, accounts, tokens."""
