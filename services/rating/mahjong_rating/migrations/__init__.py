"""The Alembic revisions of the rating service's database."""

from mahjong_rating.tables import METADATA

__all__ = ["METADATA"]
