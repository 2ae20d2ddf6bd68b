"""What the caller gets for each way to fail."""

import json

import grpc
import pytest
import redis
from grpc_health.v1 import health_pb2, health_pb2_grpc
from sqlalchemy.exc import DBAPIError, DisconnectionError

from mahjong_kit import errors
from mahjong_kit.errors import ErrorReason, error_info, error_status, retry_after_s
from tests.kit.wire import refused

REASON = ErrorReason.ERROR_REASON_TABLE_NOT_FOUND
CLASSES = [
    (errors.InvalidRequestError, grpc.StatusCode.INVALID_ARGUMENT),
    (errors.NotSignedInError, grpc.StatusCode.UNAUTHENTICATED),
    (errors.ForbiddenError, grpc.StatusCode.PERMISSION_DENIED),
    (errors.NotFoundError, grpc.StatusCode.NOT_FOUND),
    (errors.AlreadyExistsError, grpc.StatusCode.ALREADY_EXISTS),
    (errors.RuleViolationError, grpc.StatusCode.FAILED_PRECONDITION),
    (errors.StaleStateError, grpc.StatusCode.ABORTED),
    (errors.ThrottledError, grpc.StatusCode.RESOURCE_EXHAUSTED),
    (errors.UnavailableError, grpc.StatusCode.UNAVAILABLE),
]


def raising(error):
    async def act():
        raise error

    return act


@pytest.mark.parametrize(("error_class", "code"), CLASSES)
async def test_error_arrives_with_its_code_reason_and_metadata(bench, error_class, code):
    bench.script.act = raising(error_class(REASON, "text", table_id="t1", seat=2))
    with refused() as refusal:
        await bench.create_table()
    assert refusal.code is code
    assert refusal.reason == "TABLE_NOT_FOUND"
    assert refusal.metadata == {"table_id": "t1", "seat": "2"}
    assert refusal.error.details() == "text"


@pytest.mark.parametrize(("error_class", "code"), CLASSES)
async def test_only_errors_that_pass_by_themselves_say_when_to_try_again(bench, error_class, code):
    bench.script.act = raising(error_class(REASON))
    with refused() as refusal:
        await bench.create_table()
    waits = code in {grpc.StatusCode.RESOURCE_EXHAUSTED, grpc.StatusCode.UNAVAILABLE}
    assert retry_after_s(refusal.error) == (1.0 if waits else None)


def test_status_has_exactly_one_error_info():
    status = error_status(
        errors.ThrottledError(ErrorReason.ERROR_REASON_RATE_LIMITED, retry_after_s=0.25, limit="guests")
    )
    kinds = [detail.type_url.rpartition(".")[2] for detail in status.details]
    assert kinds == ["ErrorInfo", "RetryInfo"]


async def test_error_text_that_is_not_ascii_arrives_whole(bench):
    bench.script.act = raising(errors.NotFoundError(REASON, "kein Tisch „東“", table_id="東"))
    with refused() as refusal:
        await bench.create_table()
    assert refusal.error.details() == "kein Tisch „東“"
    assert refusal.metadata == {"table_id": "東"}


async def test_unknown_exception_is_withheld_and_logged_once_with_its_request_id(bench, logged):
    bench.script.act = raising(ValueError("the seed is 42"))
    with refused() as refusal:
        await bench.create_table(metadata=(*bench.issuer.service(), ("x-request-id", "request-7")))
    assert (refusal.code, refusal.reason) == (grpc.StatusCode.INTERNAL, "INTERNAL")
    assert refusal.metadata == {"request_id": "request-7"}
    assert "42" not in str(refusal.error)
    failed = [line for line in logged() if line["event"] == "call.failed"]
    assert len(failed) == 1
    assert failed[0]["request_id"] == "request-7"
    assert "Traceback" in failed[0]["exception"]
    assert bench.issuer.service()[0][1] not in json.dumps(logged()), "a token was logged"


@pytest.mark.parametrize(
    ("lost", "store"),
    [
        (redis.ConnectionError("gone"), "redis"),
        (redis.TimeoutError("slow"), "redis"),
        (DisconnectionError("gone"), "database"),
        (DBAPIError("", None, OSError("gone"), connection_invalidated=True), "database"),
    ],
)
async def test_lost_store_is_unavailable_with_its_name(bench, lost, store):
    bench.script.act = raising(lost)
    with refused() as refusal:
        await bench.create_table()
    assert (refusal.code, refusal.reason) == (grpc.StatusCode.UNAVAILABLE, "STORE_UNREACHABLE")
    assert refusal.metadata == {"store": store}
    assert "gone" not in str(refusal.error)


async def test_bytes_that_are_no_message_are_refused(bench):
    with refused() as refusal:
        await bench.raw("CreateTable")(b"\xff\xff", metadata=bench.issuer.service())
    assert (refusal.code, refusal.reason) == (grpc.StatusCode.INVALID_ARGUMENT, "MALFORMED_MESSAGE")


async def test_bytes_of_a_stranger_are_not_looked_at(bench):
    with refused() as refusal:
        await bench.raw("CreateTable")(b"\xff\xff")
    assert refusal.reason == "NOT_SIGNED_IN"


async def test_message_over_the_limit_is_refused_with_the_limit(closed_bench):
    async with closed_bench.open(message_bytes_max=1024) as bench:
        with refused() as refusal:
            await bench.raw("CreateTable")(b"\x0a\xff\x08" + b"x" * 1151, metadata=bench.issuer.service())
    assert (refusal.code, refusal.reason) == (grpc.StatusCode.RESOURCE_EXHAUSTED, "MESSAGE_TOO_LARGE")
    assert refusal.metadata == {"limit_bytes": "1024"}


async def test_message_over_the_limit_of_the_transport_has_its_code_only(bench):
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await bench.raw("CreateTable")(b"x" * (5 << 20), metadata=bench.issuer.service())
    assert caught.value.code() is grpc.StatusCode.RESOURCE_EXHAUSTED
    assert error_info(caught.value) is None


@pytest.mark.parametrize("method", ["/mahjongplanet.table.v1.TableService/Cheat", "/no.Service/Method"])
async def test_method_that_does_not_exist_is_named_and_counted_as_one(bench, method):
    with refused() as refusal:
        await bench.channel.unary_unary(method)(b"")
    assert (refusal.code, refusal.reason) == (grpc.StatusCode.UNIMPLEMENTED, "METHOD_NOT_FOUND")
    assert refusal.metadata == {"method": method}
    labels = {"rpc": "unknown", "code": "UNIMPLEMENTED", "reason": "ERROR_REASON_METHOD_NOT_FOUND"}
    assert bench.metrics.registry.get_sample_value("mahjong_test_rpc_handled_total", labels) == 1


async def test_code_that_a_handler_sends_past_the_kit_is_kept(bench):
    unknown = health_pb2.HealthCheckRequest(service="unknown")
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await health_pb2_grpc.HealthStub(bench.channel).Check(unknown)
    assert caught.value.code() is grpc.StatusCode.NOT_FOUND


async def test_error_in_the_middle_of_a_stream_ends_it_with_its_reason(bench):
    async def watch():
        yield 1
        raise errors.StaleStateError(ErrorReason.ERROR_REASON_SEAT_TAKEN_BY_NEWER_CONNECTION)

    bench.script.watch = watch
    stream = aiter(bench.watch_table())
    got = [(await anext(stream)).sequence]
    with refused() as refusal:
        await anext(stream)
    assert got == [1]
    assert (refusal.code, refusal.reason) == (grpc.StatusCode.ABORTED, "SEAT_TAKEN_BY_NEWER_CONNECTION")


async def test_error_comes_with_the_request_id(bench):
    bench.script.act = raising(errors.NotFoundError(REASON, table_id="t"))
    with refused() as refusal:
        await bench.create_table(metadata=(*bench.issuer.service(), ("x-request-id", "request-8")))
    assert dict(refusal.error.trailing_metadata())["x-request-id"] == "request-8"


async def test_request_id_that_could_break_a_log_is_replaced(bench):
    bench.script.act = raising(ValueError)
    with refused() as refusal:
        await bench.create_table(metadata=(*bench.issuer.service(), ("x-request-id", 'a" b')))
    assert len(refusal.metadata["request_id"]) == 32
