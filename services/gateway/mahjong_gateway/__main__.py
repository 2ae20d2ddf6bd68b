"""Runs the gateway."""

import time
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from dataclasses import dataclass

import grpc
from grpc_health.v1 import health_pb2

from mahjong_gateway.admission import Limits, layers_by_path
from mahjong_gateway.connect_edge import ConnectEdge
from mahjong_gateway.forwarder import Forwarder
from mahjong_gateway.grpc_edge import register_routes
from mahjong_gateway.http_app import HttpApp
from mahjong_gateway.http_server import ReservedPort, reserve_port, serving_http
from mahjong_gateway.key_set import LIST_SIGNING_KEYS, KeySet
from mahjong_gateway.metrics import GatewayMetrics
from mahjong_gateway.rates import OpenLimit, Rate, RateLimit
from mahjong_gateway.routes import read_routes, service_names
from mahjong_gateway.routing import open_routing
from mahjong_gateway.server_info import own_answers
from mahjong_gateway.settings import GatewaySettings
from mahjong_gateway.shared_views import SharedViews
from mahjong_gateway.web_files import WebFiles
from mahjong_kit.auth import Clock, InternalTokens, Service
from mahjong_kit.keys import open_authenticator
from mahjong_kit.metrics import ServiceMetrics
from mahjong_kit.run import StopSignal, run
from mahjong_kit.server import BuiltServer, assemble_server, serving
from mahjong_kit.settings import PortTakenError
from mahjong_kit.tls import channel_credentials


@dataclass(frozen=True, slots=True)
class BuiltGateway:
    """Both edges, not started yet."""

    grpc: BuiltServer
    http: HttpApp
    http_port: ReservedPort


@asynccontextmanager
async def open_gateway(
    settings: GatewaySettings, metrics: ServiceMetrics, clock: Clock = time.time
) -> AsyncIterator[BuiltGateway]:
    """Gives the gateway's edges over channels to the services behind."""
    routes = read_routes()
    async with AsyncExitStack() as stack:
        authenticator = await stack.enter_async_context(open_authenticator(settings))
        tokens = InternalTokens(Service("gateway"), settings.service_key.get_secret_value())
        routing = await stack.enter_async_context(
            open_routing(_addresses(settings), tokens, channel_credentials(settings))
        )
        shared = SharedViews(tokens, GatewayMetrics(metrics), settings.view_bytes_max)
        stack.callback(shared.close)
        forwarder = Forwarder(
            routing,
            shared,
            own_answers(settings.computer_fill_s, clock),
            call_timeout_s=settings.call_timeout_s,
            hold_s=settings.hold_s,
            stream_age_max_s=settings.stream_age_max_s,
        )
        layers_of = layers_by_path(routes, _limits(settings), authenticator, metrics, settings.call_timeout_s)

        def register(server: grpc.aio.Server) -> None:
            register_routes(server, routes, forwarder)

        built = assemble_server(service_names(routes), register, layers_of, settings)
        calls = ConnectEdge(routes, layers_of, forwarder, built.streams, settings.message_bytes_max)

        async def is_well() -> bool:
            request = health_pb2.HealthCheckRequest(service=built.services[0])
            status = (await built.health.Check(request, None)).status
            return bool(status == health_pb2.HealthCheckResponse.SERVING)

        app = HttpApp(
            calls,
            routes,
            WebFiles(settings.web_root),
            KeySet(lambda: forwarder.answer(routes[LIST_SIGNING_KEYS], b"", {})),
            is_well,
            cors_origins=settings.cors_origins,
            body_timeout_s=settings.body_timeout_s,
            stall_timeout_s=settings.stall_timeout_s,
        )
        yield BuiltGateway(built, app, stack.enter_context(_reserved_port(settings)))


async def serve(settings: GatewaySettings, metrics: ServiceMetrics, stop: StopSignal) -> None:
    """Serves until the signal. Going down, the native edge's order leads: health, streams of both edges, calls."""
    async with open_gateway(settings, metrics) as gateway, serving_edges(gateway, settings):
        await stop.wait()


@asynccontextmanager
async def serving_edges(gateway: BuiltGateway, settings: GatewaySettings) -> AsyncIterator[None]:
    """Serves both edges until the block ends, then goes down in order."""
    async with (
        serving_http(
            gateway.http,
            settings.host,
            gateway.http_port,
            connections_max=settings.connections_max,
            grace_s=settings.drain_grace_s,
        ),
        serving(gateway.grpc, settings),
    ):
        yield


def _limits(settings: GatewaySettings) -> Limits:
    def by_rate(burst: int, per_s: float) -> RateLimit:
        return RateLimit(Rate(burst, per_s), time.monotonic)

    return Limits(
        guests=by_rate(settings.guest_burst, settings.guest_per_s),
        registrations=by_rate(settings.registration_burst, settings.registration_per_s),
        sign_ins=by_rate(settings.sign_in_burst, settings.sign_in_per_s),
        public=by_rate(settings.public_burst, settings.public_per_s),
        refused=by_rate(settings.refused_burst, settings.refused_per_s),
        players=by_rate(settings.player_burst, settings.player_per_s),
        streams=OpenLimit(settings.player_streams_max),
        trusted_proxies=settings.trusted_proxies,
    )


def _addresses(settings: GatewaySettings) -> dict[str, str]:
    return {
        "account": settings.account_address,
        "matchmaker": settings.matchmaker_address,
        "table": settings.table_address,
        "rating": settings.rating_address,
        "replay": settings.replay_address,
    }


@contextmanager
def _reserved_port(settings: GatewaySettings) -> Iterator[ReservedPort]:
    try:
        reserved = reserve_port(settings.host, settings.http_port)
    except OSError as error:
        raise PortTakenError(settings, "http_port") from error
    with reserved.socket:
        yield reserved


if __name__ == "__main__":
    run(serve, GatewaySettings)
