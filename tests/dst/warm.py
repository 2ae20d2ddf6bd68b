"""Imported once before any run: all that every run needs, so that a process of its own costs next to nothing."""

from tests.dst import world  # noqa: F401 - for all that it imports
from tests.dst.database import template

template()
