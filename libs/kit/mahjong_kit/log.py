"""JSON lines on standard output: a constant event `noun.past_verb`, everything variable under a key."""

import logging
import sys
import traceback
from collections.abc import Iterator
from importlib import metadata
from typing import TextIO, cast

import orjson
import structlog
from structlog.typing import EventDict, ExcInfo, WrappedLogger


def configure_logging(service: str, level: str, output: TextIO | None = None) -> None:
    """Sends the logs of the process, those of libraries from `warning` on, to standard output."""
    output = output or sys.stdout
    processors: list[structlog.typing.Processor] = [
        structlog.contextvars.merge_contextvars,
        structlog.processors.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        _ServiceFields(service),
    ]
    structlog.configure(
        processors=[*processors, _exceptions, structlog.processors.JSONRenderer(_json_line)],
        wrapper_class=structlog.make_filtering_bound_logger(logging.getLevelNamesMapping()[level.upper()]),
        logger_factory=structlog.WriteLoggerFactory(output),
        cache_logger_on_first_use=False,
    )
    handler = logging.StreamHandler(output)
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=[*processors, structlog.stdlib.add_logger_name],
            processors=[
                structlog.stdlib.ProcessorFormatter.remove_processors_meta,
                _exceptions,
                structlog.processors.JSONRenderer(_json_line),
            ],
        )
    )
    logging.basicConfig(level=logging.WARNING, handlers=[handler], force=True)


def get_logger() -> structlog.typing.FilteringBoundLogger:
    """Returns the logger; it may be made when a module is imported, it is set up on first use."""
    return cast("structlog.typing.FilteringBoundLogger", structlog.get_logger())


def _traceback(exc_info: ExcInfo) -> str:
    """Returns the traceback without what PostgreSQL tells of the rows that it refused: their values."""
    text = "".join(traceback.format_exception(*exc_info)).rstrip("\n")
    for error in _causes_of(exc_info[1]):
        if isinstance(detail := getattr(error, "detail", None), str) and detail:
            text = text.replace(detail, "(withheld)")
    return text


def _causes_of(error: BaseException | None) -> Iterator[BaseException]:
    seen: set[int] = set()
    waiting = [error]
    while waiting:
        each = waiting.pop()
        if each is not None and id(each) not in seen:
            seen.add(id(each))
            waiting += [each.__cause__, each.__context__]
            waiting += each.exceptions if isinstance(each, BaseExceptionGroup) else ()
            yield each


_exceptions = structlog.processors.ExceptionRenderer(_traceback)


class _ServiceFields:
    def __init__(self, service: str) -> None:
        self._fields = {"service": service, "version": metadata.version(f"mahjong-{service}")}

    def __call__(self, logger: WrappedLogger, method: str, event: EventDict) -> EventDict:
        del logger, method
        event.update(self._fields)
        return event


def _json_line(event: object, **_: object) -> str:
    return orjson.dumps(event, default=str).decode()
