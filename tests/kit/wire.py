"""Reads failed calls."""

from collections.abc import Iterator
from contextlib import contextmanager

import grpc
import pytest

from mahjong_kit.errors import DOMAIN, error_info


class Refusal:
    """How a call failed; filled when the block of `refused` ends."""

    code: grpc.StatusCode
    reason: str
    metadata: dict[str, str]
    error: grpc.aio.AioRpcError


@contextmanager
def refused() -> Iterator[Refusal]:
    """Expects that the call in the block fails with a status that carries an ErrorInfo of ours."""
    refusal = Refusal()
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        yield refusal
    info = error_info(caught.value)
    assert info is not None, caught.value
    assert info.domain == DOMAIN
    refusal.error, refusal.code = caught.value, caught.value.code()
    refusal.reason, refusal.metadata = info.reason.removeprefix("ERROR_REASON_"), dict(info.metadata)
