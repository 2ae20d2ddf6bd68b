"""Brings services' databases up to date and ends: `python -m mahjong_kit.migrate account table`.

Each service does the same when it starts. A release that does it once beforehand learns of a failure before any process
is replaced. Reads `<SERVICE>_DATABASE_DSN`, waits for the server, and may be run again or twice at once.
"""

import asyncio
import os
import sys
from importlib import import_module

from mahjong_kit.log import configure_logging, get_logger
from mahjong_kit.settings import SettingsError, StartError
from mahjong_kit.sql import open_database

_log = get_logger()


def main(services: list[str]) -> int:
    """Migrates the services' databases one after another; returns the exit status."""
    configure_logging("kit", "info")
    try:
        asyncio.run(_migrate(services))
    except StartError as error:
        sys.stderr.write(f"mahjong-migrate: {error}\n")
        return error.exit_status
    return 0


async def _migrate(services: list[str]) -> None:
    for service in services:
        variable = f"{service.upper()}_DATABASE_DSN"
        dsn = os.environ.get(variable)
        if not dsn:
            raise SettingsError(f"{variable} is not set")
        try:
            opening = open_database(dsn, import_module(f"mahjong_{service}.migrations"))
            async with opening:
                _log.info("database.migrated", database=service)
        except ModuleNotFoundError:
            raise SettingsError(f"{service} is not a service with a database") from None
        except ValueError as error:
            raise SettingsError(f"{variable} is wrong: {error}") from None


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
