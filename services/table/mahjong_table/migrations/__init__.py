"""Alembic revisions of the table service's database."""

from mahjong_table.store.models import Model

METADATA = Model.metadata
