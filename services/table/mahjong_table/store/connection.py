"""Connections of one transaction: the store writes statements and needs no sessions."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from sqlalchemy.ext.asyncio import AsyncConnection

from mahjong_kit.sql import Database


@asynccontextmanager
async def reading(database: Database) -> AsyncIterator[AsyncConnection]:
    """Gives a connection in a transaction that changes nothing."""
    async with database.reading() as session:
        yield await session.connection()


@asynccontextmanager
async def writing(database: Database) -> AsyncIterator[AsyncConnection]:
    """Gives a connection in a transaction that is committed at the end of the block, unless it raises."""
    async with database.writing() as session:
        yield await session.connection()
