"""Tells apart what a database error means: a store that is away, one that refuses us, or a fault of ours."""

import sqlite3
import ssl
from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy.exc import DBAPIError, DisconnectionError
from sqlalchemy.exc import TimeoutError as PoolTimeoutError

from mahjong_kit.errors import ServiceError, store_unreachable

STORE = "database"
_AWAY_SQLSTATES = ("08", "25006", "40", "53", "57P")
"""PostgreSQL errors: connection lost; a server that only reads, as after a failover; a transaction that gave way;
resources used up; server going down or coming up."""
_AWAY_SQLITE_CODES = {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_FULL}
_REFUSED_SQLSTATES = ("28", "3D", "XX001", "XX002")
"""PostgreSQL errors: who we say that we are; the database that we ask for; damaged data or index."""
_REFUSED_SQLITE_CODES = {
    sqlite3.SQLITE_CANTOPEN,
    sqlite3.SQLITE_CORRUPT,
    sqlite3.SQLITE_NOTADB,
    sqlite3.SQLITE_READONLY,
}


def store_error(error: Exception) -> ServiceError | None:
    """Returns `STORE_UNREACHABLE` if the exception means that the database does not answer, or cannot any more."""
    return store_unreachable(STORE) if _is_away(error) or refusal_of(error) else None


@contextmanager
def told_if_away() -> Iterator[None]:
    """Raises `STORE_UNREACHABLE` also for errors that only here are known to be a database's (refused, timed out)."""
    try:
        yield
    except OSError as error:
        raise store_unreachable(STORE) from error
    except Exception as error:
        if _is_away(error):
            raise store_unreachable(STORE) from error
        raise


def is_out_of_reach(error: BaseException | None) -> bool:
    """Returns whether an attempt to connect tells that no server takes connections now."""
    if isinstance(error, DBAPIError):
        return is_out_of_reach(error.orig)
    return isinstance(error, OSError) or _sqlstate(error).startswith(_AWAY_SQLSTATES)


def refusal_of(error: Exception) -> str:
    """Returns in one line why the database does not let us in, or we do not trust it; empty for other errors."""
    if isinstance(error.__cause__, ssl.SSLCertVerificationError):
        return str(error.__cause__)
    driver_error = error.orig if isinstance(error, DBAPIError) else error
    is_refused = _sqlstate(driver_error).startswith(_REFUSED_SQLSTATES)
    if not is_refused and isinstance(driver_error, sqlite3.Error):
        is_refused = _sqlite_code(driver_error) in _REFUSED_SQLITE_CODES
    return str(driver_error).partition("\n")[0] if is_refused else ""


def _is_away(error: BaseException | None) -> bool:
    if isinstance(error, DBAPIError):
        return error.connection_invalidated or _is_away(error.orig)
    if isinstance(error, sqlite3.Error):
        return _sqlite_code(error) in _AWAY_SQLITE_CODES
    return _sqlstate(error).startswith(_AWAY_SQLSTATES) or isinstance(error, DisconnectionError | PoolTimeoutError)


def _sqlstate(error: BaseException | None) -> str:
    return getattr(error, "sqlstate", None) or ""


def _sqlite_code(error: sqlite3.Error) -> int:
    return getattr(error, "sqlite_errorcode", 0) & 0xFF  # The driver's own errors have none.
