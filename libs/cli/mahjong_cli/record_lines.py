"""Lines of hand records."""

import orjson

from mahjong_engine.record_header import RecordError, RecordReason


def parse_record(line: bytes) -> object:
    """Returns the JSON value of a line.

    Raises:
        RecordError: MALFORMED, the line is no JSON.
    """
    try:
        return orjson.loads(line)
    except orjson.JSONDecodeError as error:
        raise RecordError(RecordReason.MALFORMED, f"not JSON: {error}") from error
