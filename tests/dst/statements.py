"""Runs the service's own statements on SQLite, by SQLAlchemy's compiler but past its engine, which would cost the most
of all that a simulation does."""

import sqlite3
from collections import namedtuple
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from sqlalchemy import Boolean
from sqlalchemy.dialects.sqlite.pysqlite import dialect as sqlite_dialect
from sqlalchemy.exc import IntegrityError
from sqlalchemy.sql.compiler import SQLCompiler

DIALECT = sqlite_dialect()
_compiled: dict[Any, Any] = {}
_rows: dict[tuple[str, ...], Any] = {}


class Result:
    """What a statement gave; may be read again and again, unlike SQLAlchemy's, whose names it has."""

    def __init__(self, names: tuple[str, ...], rows: list[tuple[Any, ...]], rowcount: int) -> None:
        self._names = names
        self.rows = rows
        self.rowcount = rowcount

    def __iter__(self) -> Iterator[Any]:
        return iter(self.all())

    def all(self) -> list[Any]:
        make = _row_type(self._names)._make
        return [make(row) for row in self.rows]

    def tuples(self) -> "Result":
        return self

    def first(self) -> Any:
        return _row_type(self._names)._make(self.rows[0]) if self.rows else None

    def one(self) -> Any:
        assert len(self.rows) == 1
        return self.first()

    def scalar(self) -> Any:
        return self.rows[0][0] if self.rows else None

    def scalars(self) -> "Scalars":
        return Scalars(row[0] for row in self.rows)

    def mappings(self) -> "Mappings":
        return Mappings([dict(zip(self._names, row, strict=True)) for row in self.rows])


class Scalars(list[Any]):
    """The first column of each row."""

    def all(self) -> list[Any]:
        return self


class Mappings(list[dict[str, Any]]):
    """Rows by the names of their columns."""

    def all(self) -> list[dict[str, Any]]:
        return self

    def first(self) -> dict[str, Any] | None:
        return self[0] if self else None


def execute(raw: sqlite3.Connection, statement: Any, parameters: Any = None) -> Result:
    """Runs a statement, once for each set of parameters.

    Raises:
        IntegrityError: as SQLAlchemy does.
    """
    sets: Sequence[Mapping[str, Any]] = parameters if isinstance(parameters, list) else [parameters or {}]
    compiled, extracted, collected, _ = statement._compile_w_cache(
        DIALECT, compiled_cache=_compiled, column_keys=sorted(sets[0]), for_executemany=len(sets) > 1
    )
    result, rowcount = Result((), [], -1), 0
    for some in sets:
        sql, values = _bound(compiled, extracted, collected, some)
        try:
            cursor = raw.execute(sql, values)
        except sqlite3.IntegrityError as error:
            raise IntegrityError(sql, None, error) from error
        if cursor.description is not None:
            result = Result(tuple(column[0] for column in cursor.description), _fetched(compiled, cursor), -1)
        rowcount += cursor.rowcount
    result.rowcount = rowcount
    return result


def _bound(compiled: SQLCompiler, extracted: Any, collected: Any, some: Mapping[str, Any]) -> tuple[str, list[Any]]:
    """Returns the text of a statement and its values, in their order."""
    named = compiled.construct_params(
        some, extracted_parameters=extracted, escape_names=False, _collected_params=collected
    )
    sql, order, processors = compiled.string, compiled.positiontup, compiled._bind_processors
    if compiled.literal_execute_params or compiled.post_compile_params:
        expanded = compiled._process_parameters_for_postcompile(named)
        sql, order, processors = expanded.statement, expanded.positiontup, {**processors, **expanded.processors}
    return sql, [processors[name](named[name]) if name in processors else named[name] for name in order or ()]


def _fetched(compiled: SQLCompiler, cursor: sqlite3.Cursor) -> list[tuple[Any, ...]]:
    rows = [tuple(row) for row in cursor.fetchall()]
    flags = [place for place, column in enumerate(compiled._result_columns) if isinstance(column.type, Boolean)]
    for place in flags:
        rows = [(*row[:place], bool(row[place]), *row[place + 1 :]) for row in rows]
    return rows


def _row_type(names: tuple[str, ...]) -> Any:
    if names not in _rows:
        _rows[names] = namedtuple("Row", names, rename=True)  # noqa: PYI024 - its fields are those of the statement
    return _rows[names]
