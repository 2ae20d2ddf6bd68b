"""What callers are told of failures of the services behind, as the transport names them."""

import grpc
import pytest
from grpc.aio import AioRpcError, Metadata

from mahjong_kit.forwarding import forwarded


@pytest.mark.parametrize(
    ("code", "details", "reason"),
    [
        (grpc.StatusCode.UNAVAILABLE, "failed to connect", "ERROR_REASON_SERVICE_UNREACHABLE"),
        (grpc.StatusCode.CANCELLED, "", "ERROR_REASON_SERVICE_UNREACHABLE"),
        (grpc.StatusCode.INTERNAL, "Internal error from Core", "ERROR_REASON_SERVICE_UNREACHABLE"),
        (grpc.StatusCode.DEADLINE_EXCEEDED, "", "ERROR_REASON_DEADLINE_EXCEEDED"),
        (grpc.StatusCode.INTERNAL, "anything else", "ERROR_REASON_INTERNAL"),
        (grpc.StatusCode.UNKNOWN, "", "ERROR_REASON_INTERNAL"),
    ],
)
def test_a_failure_of_the_transport_is_told_as_what_it_means_to_a_caller(code, details, reason):
    error = AioRpcError(code, Metadata(), Metadata(), details)
    assert forwarded(error, "table").reason == reason
