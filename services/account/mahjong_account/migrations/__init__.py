"""The Alembic revisions of the account service's database."""

from mahjong_account.models import METADATA

__all__ = ["METADATA"]
