"""Which methods the gateway offers, read from the descriptors of protos/: those of players and of anybody."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from google.protobuf.descriptor import FileDescriptor, MethodDescriptor
from google.protobuf.descriptor_pb2 import MethodOptions
from google.protobuf.message import Message
from google.protobuf.message_factory import GetMessageClass

from mahjong_kit.descriptors import caller_of
from mahjongplanet.account.v1 import account_service_pb2, friend_service_pb2, openid_service_pb2
from mahjongplanet.gateway.v1 import gateway_service_pb2
from mahjongplanet.matchmaker.v1 import matchmaker_service_pb2, room_service_pb2
from mahjongplanet.options.v1 import options_pb2
from mahjongplanet.rating.v1 import rating_service_pb2
from mahjongplanet.replay.v1 import replay_service_pb2
from mahjongplanet.table.v1 import table_service_pb2

ACCOUNTS: Final = "account"
"""Name of the service of accounts."""
GATEWAY: Final = "gateway"
"""Name under which the gateway's own service is kept."""
_FILES: Final[tuple[tuple[str, FileDescriptor], ...]] = (
    (ACCOUNTS, account_service_pb2.DESCRIPTOR),
    (ACCOUNTS, friend_service_pb2.DESCRIPTOR),
    (ACCOUNTS, openid_service_pb2.DESCRIPTOR),
    ("matchmaker", matchmaker_service_pb2.DESCRIPTOR),
    ("matchmaker", room_service_pb2.DESCRIPTOR),
    ("table", table_service_pb2.DESCRIPTOR),
    ("rating", rating_service_pb2.DESCRIPTOR),
    ("replay", replay_service_pb2.DESCRIPTOR),
    (GATEWAY, gateway_service_pb2.DESCRIPTOR),
)
"""Each file of services, and the name of the process that answers them."""
_OFFERED: Final = frozenset({options_pb2.CALLER_PUBLIC, options_pb2.CALLER_PLAYER})
_REPEATABLE: Final = frozenset({MethodOptions.IDEMPOTENT, MethodOptions.NO_SIDE_EFFECTS})


@dataclass(frozen=True, slots=True)
class Route:
    """One method that the gateway offers."""

    path: str
    """Such as `/mahjongplanet.table.v1.TableService/SubmitAction`."""
    rpc: str
    """Such as `TableService/SubmitAction`; the label in logs and metrics."""
    service: str
    """Name of the service behind, or `GATEWAY`."""
    caller: int
    """CALLER_PUBLIC or CALLER_PLAYER."""
    request: type[Message]
    response: type[Message]
    is_stream: bool
    is_repeatable: bool
    """Whether a second call changes nothing (option `idempotency_level`), so that the gateway may send it again."""

    @property
    def needs_player(self) -> bool:
        """Whether only signed-in players may call."""
        return self.caller == options_pb2.CALLER_PLAYER


def read_routes() -> dict[str, Route]:
    """Returns the routes by path."""
    methods = [
        (name, method)
        for name, file in _FILES
        for service in file.services_by_name.values()
        for method in service.methods
    ]
    routes = [_route(name, method) for name, method in methods if caller_of(method) in _OFFERED]
    return {route.path: route for route in routes}


def service_names(routes: Mapping[str, Route]) -> tuple[str, ...]:
    """Returns the full names of the services that the routes belong to."""
    return tuple(dict.fromkeys(path.split("/")[1] for path in routes))


def _route(name: str, method: MethodDescriptor) -> Route:
    service = method.containing_service
    return Route(
        path=f"/{service.full_name}/{method.name}",
        rpc=f"{service.name}/{method.name}",
        service=name,
        caller=caller_of(method),
        request=GetMessageClass(method.input_type),
        response=GetMessageClass(method.output_type),
        is_stream=method.server_streaming,
        is_repeatable=method.GetOptions().idempotency_level in _REPEATABLE,
    )
