"""Stores and serves finished hands."""
