"""Checks that several requests have in common."""

from mahjong_kit.errors import invalid_field
from mahjong_kit.fields import is_uuid
from mahjong_table.errors import table_not_found
from mahjongplanet.table.v1 import table_service_pb2 as pb


def checked_table_id(table_id: str) -> str:
    """Returns the table id of a request; what is no table id is the id of no table.

    Raises:
        NotFoundError: `TABLE_NOT_FOUND`.
    """
    if not is_uuid(table_id):
        raise table_not_found(table_id[:36])
    return table_id


def checked_watch(request: pb.WatchTableRequest) -> pb.WatchTableRequest:
    """Returns a request to watch a table.

    Raises:
        ServiceError: `INVALID_FIELD` or `TABLE_NOT_FOUND`.
    """
    for field in ("epoch", "after_sequence"):
        if getattr(request, field) < 0:
            raise invalid_field(field, "is negative")
    checked_table_id(request.table_id)
    return request
