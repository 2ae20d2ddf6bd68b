"""The Alembic revisions of the replay service's database."""

from mahjong_replay.tables import METADATA

__all__ = ["METADATA"]
