"""Milliseconds as the protos' times and durations."""

from google.protobuf.duration_pb2 import Duration
from google.protobuf.timestamp_pb2 import Timestamp


def timestamp(ms: int) -> Timestamp:
    """Returns a time given in ms since 1970 (UTC)."""
    return Timestamp(seconds=ms // 1000, nanos=ms % 1000 * 1_000_000)


def timestamp_or_none(ms: int | None) -> Timestamp | None:
    """Returns a time that may be absent."""
    return None if ms is None else timestamp(ms)


def duration(ms: int) -> Duration:
    """Returns a duration given in ms, not negative."""
    return Duration(seconds=ms // 1000, nanos=ms % 1000 * 1_000_000)
