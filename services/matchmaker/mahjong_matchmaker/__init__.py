"""Tickets in, seatings out."""
