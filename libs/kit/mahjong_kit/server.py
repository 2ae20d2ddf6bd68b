"""Builds the gRPC server of a service: layers, health, reflection, one port."""

import asyncio
import socket
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from socket import AF_INET, AF_INET6
from typing import Any, NamedTuple

import grpc
from google.protobuf.descriptor import ServiceDescriptor
from grpc_health.v1 import health, health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection

from mahjong_kit import layers, redis, sql_errors
from mahjong_kit.auth import Authenticator
from mahjong_kit.descriptors import caller_of, registration_of, service_of
from mahjong_kit.log import get_logger
from mahjong_kit.metrics import ServiceMetrics
from mahjong_kit.pipeline import UNKNOWN_RPC, Pipeline
from mahjong_kit.settings import PortTakenError, ServiceSettings
from mahjong_kit.streams import OpenStreams
from mahjong_kit.tls import server_credentials
from mahjong_kit.transport import new_server
from mahjongplanet.options.v1 import options_pb2

_INFRASTRUCTURE = ("/grpc.health.v1.", "/grpc.reflection.")
"""Services of gRPC itself: anybody may call them, they are neither logged nor counted."""
_log = get_logger()


class BuiltServer(NamedTuple):
    """A server that is not started yet."""

    server: grpc.aio.Server
    health: health.aio.HealthServicer
    streams: OpenStreams
    port: int
    """The port that it listens on."""
    services: tuple[str, ...]
    """Full names of its services, for health."""
    probed: "ProbedServer | None" = None
    """What answers at the setting `health_port`, if there is one."""


class ProbedServer(NamedTuple):
    """A server where only health answers, without TLS, for probes."""

    server: grpc.aio.Server
    port: int


def build_server(
    *servicers: object, settings: ServiceSettings, metrics: ServiceMetrics, authenticator: Authenticator
) -> BuiltServer:
    """Builds the server of one or more servicers, derived from the classes that protoc made.

    Raises:
        TypeError: A method lacks the option `caller`, or takes a stream of requests and is not for services alone.
        PortTakenError: Another process listens on the port.
    """
    services = [service_of(type(servicer), "Servicer") for servicer in servicers]
    callers = _callers(services)

    def layers_of(method: str) -> Sequence[layers.Layer]:
        caller = options_pb2.CALLER_PUBLIC if method == UNKNOWN_RPC else callers.get(method, 0)
        return service_layers(caller, settings, metrics, authenticator)

    def register(server: grpc.aio.Server) -> None:
        for servicer in servicers:
            registration_of(type(servicer))(servicer, server)

    return assemble_server([service.full_name for service in services], register, layers_of, settings)


def service_layers(
    caller: int, settings: ServiceSettings, metrics: ServiceMetrics, authenticator: Authenticator
) -> Sequence[layers.Layer]:
    """Returns the layers of a service's methods, outermost first.

    Args:
        caller: for whom the method is (its option `caller`).
        settings: what the service is set up by.
        metrics: of the service.
        authenticator: verifies who calls.
    """
    return (
        layers.identify_request,
        layers.trace_calls(joins=True),
        layers.log_call,
        layers.measure_calls(metrics),
        layers.tell_errors((sql_errors.store_error, redis.store_error)),
        layers.limit_time_to(settings.call_timeout_s),
        layers.admit_caller(caller, authenticator),
    )


def assemble_server(
    services: Sequence[str],
    register: Callable[[grpc.aio.Server], None],
    layers_of: Callable[[str], Sequence[layers.Layer]],
    settings: ServiceSettings,
) -> BuiltServer:
    """Builds a server of handlers that need no servicer, such as those of the gateway, which only forward.

    Args:
        services: full names of its services, for health and reflection.
        register: adds the handlers.
        layers_of: the layers of a method, outermost first.
        settings: what the server is set up by.

    Raises:
        PortTakenError: Another process listens on the port.
    """

    def all_layers_of(method: str) -> Sequence[layers.Layer]:
        return (layers.tell_errors(()),) if method.startswith(_INFRASTRUCTURE) else layers_of(method)

    streams = OpenStreams()
    pipeline = Pipeline(all_layers_of, streams, settings.message_bytes_max)
    server = new_server(settings, pipeline)
    register(server)
    health_servicer = health.aio.HealthServicer()
    health_pb2_grpc.add_HealthServicer_to_server(health_servicer, server)
    reflection.enable_server_reflection([*services, health.SERVICE_NAME, reflection.SERVICE_NAME], server)
    port = _listen(server, settings)
    return BuiltServer(server, health_servicer, streams, port, tuple(services), _probed(health_servicer, settings))


@asynccontextmanager
async def serving(built: BuiltServer, settings: ServiceSettings) -> AsyncIterator[None]:
    """Serves until the block ends, then goes down in order, so that nobody notices but by a reconnect.

    Health turns NOT_SERVING, one probe period passes, streams end with DRAINING, the open calls finish.
    """
    async with AsyncExitStack() as stack:  # Whatever fails on the way down, the rest is done.
        await built.server.start()
        if built.probed is not None:
            await built.probed.server.start()
            stack.push_async_callback(built.probed.server.stop, None)
        stack.callback(_log.info, "service.stopped")
        stack.push_async_callback(built.server.stop, settings.drain_grace_s)
        for name in built.services:
            await built.health.set(name, health_pb2.HealthCheckResponse.SERVING)
        stack.push_async_callback(built.streams.end_all)
        stack.push_async_callback(asyncio.sleep, settings.probe_period_s)
        stack.push_async_callback(built.health.enter_graceful_shutdown)
        stack.callback(_log.info, "service.draining")
        _log.info("service.started", port=built.port)
        yield


def _probed(health_servicer: health.aio.HealthServicer, settings: ServiceSettings) -> ProbedServer | None:
    if settings.health_port is None:
        return None
    server = grpc.aio.server(options=(("grpc.so_reuseport", 0),))
    health_pb2_grpc.add_HealthServicer_to_server(health_servicer, server)
    return ProbedServer(server, _bind(settings, "health_port", server.add_insecure_port))


def _listen(server: Any, settings: ServiceSettings) -> int:
    credentials = server_credentials(settings)
    if credentials is None:
        return _bind(settings, "port", server.add_insecure_port)
    return _bind(settings, "port", lambda address: server.add_secure_port(address, credentials))


def _bind(settings: ServiceSettings, field: str, add_port: Callable[[str], int]) -> int:
    is_ipv6 = ":" in settings.host
    host = f"[{settings.host}]" if is_ipv6 else settings.host
    wanted = getattr(settings, field)
    try:
        # Tried by ourselves first: gRPC would write lines of its own about a taken port.
        socket.create_server((settings.host, wanted), family=AF_INET6 if is_ipv6 else AF_INET).close()
        return add_port(f"{host}:{wanted}")
    except (OSError, RuntimeError) as error:
        raise PortTakenError(settings, field) from error


def _callers(services: Sequence[ServiceDescriptor]) -> dict[str, int]:
    methods = [(f"/{service.full_name}/{method.name}", method) for service in services for method in service.methods]
    for name, method in methods:
        if method.client_streaming and not (
            method.server_streaming and caller_of(method) == options_pb2.CALLER_SERVICE
        ):
            raise TypeError(f"{name} takes a stream of requests and is not for services alone")
        if caller_of(method) == options_pb2.CALLER_UNSPECIFIED:
            raise TypeError(f"{name} does not say who may call it (option `caller`)")
    return {name: caller_of(method) for name, method in methods}
