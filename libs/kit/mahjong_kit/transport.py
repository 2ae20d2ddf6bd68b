"""What carries the calls of a server: grpc.aio, or pygrpc-native where it is installed."""

from importlib import import_module
from typing import Any

import grpc

from mahjong_kit.pipeline import Pipeline
from mahjong_kit.settings import ServiceSettings, SettingsError, prefix_of

_TRANSPORT_BYTES_MAX = 4 << 20
"""What the transport takes; it refuses larger messages without a reason, so the kit's own limit lies below it."""
_OPTIONS = (
    ("grpc.so_reuseport", 0),  # A second process on the port fails instead of taking half of the calls.
    ("grpc.max_receive_message_length", _TRANSPORT_BYTES_MAX),
    ("grpc.http2.min_ping_interval_without_data_ms", 5_000),
    ("grpc.keepalive_permit_without_calls", 1),
)
_MODULES = {"grpc": "grpc.aio", "native": "pygrpc_native.aio"}


def new_server(settings: ServiceSettings, pipeline: Pipeline) -> grpc.aio.Server:
    """Returns a server without handlers.

    Raises:
        SettingsError: The transport is not installed, or does not know a setting.
    """
    if settings.transport == "native" and (settings.tls != "off" or settings.connection_age_max_s is not None):
        raise SettingsError(f"{prefix_of(type(settings))}TRANSPORT is wrong: native knows no TLS and no connection age")
    try:
        module: Any = import_module(_MODULES[settings.transport])
    except ImportError as error:
        variable = f"{prefix_of(type(settings))}TRANSPORT"
        raise SettingsError(f"{variable} is wrong: native needs the package pygrpc-native") from error
    options = list(_OPTIONS)
    if settings.connection_age_max_s is not None:  # Streams that are open stay open; only new calls go elsewhere.
        options.append(("grpc.max_connection_age_ms", round(settings.connection_age_max_s * 1000)))
    server: grpc.aio.Server = module.server(interceptors=(pipeline,), options=options)
    return server
