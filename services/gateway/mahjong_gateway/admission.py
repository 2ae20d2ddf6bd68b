"""Who may call, and how often: the layers around every method."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from mahjong_gateway.peers import adopt_peer, peer_key
from mahjong_gateway.rates import OpenLimit, RateLimit
from mahjong_gateway.routes import Route
from mahjong_kit import layers
from mahjong_kit.auth import Authenticator, current_player
from mahjong_kit.call import Call
from mahjong_kit.errors import NotSignedInError, ThrottledError
from mahjong_kit.layers import Handler, Layer
from mahjong_kit.metrics import ServiceMetrics
from mahjongplanet.errors.v1.error_reason_pb2 import ErrorReason

CREATE_GUEST: Final = "AccountService/CreateGuest"
REGISTRATIONS: Final = frozenset({"AccountService/RegisterAccount"})
SIGN_INS: Final = frozenset(
    {"AccountService/SignIn", "OpenIdService/BeginOpenIdSignIn", "OpenIdService/FinishOpenIdSignIn"}
)
_BAD_TOKEN: Final = ErrorReason.Name(ErrorReason.ERROR_REASON_TOKEN_INVALID)
_STREAMS_RETRY_S: Final = 5.0


@dataclass(frozen=True, slots=True)
class Limits:
    """The limits of one gateway process."""

    guests: RateLimit
    """New guests, by peer."""
    registrations: RateLimit
    """New accounts with a password, by peer: each costs a hash."""
    sign_ins: RateLimit
    """Sign-ins, by peer: the same."""
    public: RateLimit
    """Other calls of anybody, by peer."""
    refused: RateLimit
    """Tokens that were no good, by peer: each costs a check of a signature."""
    players: RateLimit
    """Calls of players, by account."""
    streams: OpenLimit
    """Open streams of players, by account."""
    trusted_proxies: int
    """Proxies of ours in front of the gateway."""


def layers_by_path(
    routes: Mapping[str, Route],
    limits: Limits,
    authenticator: Authenticator,
    metrics: ServiceMetrics,
    call_timeout_s: float,
) -> Callable[[str], Sequence[Layer]]:
    """Returns what gives the layers of a method, the same on both edges; methods that do not exist have some too."""

    def layers_of(path: str) -> Sequence[Layer]:
        return (
            layers.identify_request,
            layers.trace_calls(joins=False),
            layers.log_call,
            layers.measure_calls(metrics),
            layers.tell_errors(()),
            layers.limit_time_to(call_timeout_s),
            *_admitting(routes.get(path), limits, authenticator),
        )

    return layers_of


def _admitting(route: Route | None, limits: Limits, authenticator: Authenticator) -> tuple[Layer, ...]:
    if route is None or not route.needs_player:
        name, limit = _public_limit("" if route is None else route.rpc, limits)
        return (_noting_peer(limits), _throttled(name, limit, _peer(limits)))
    by_account = _throttled("player", limits.players, lambda _: current_player().player_id)
    admit = (_limit_refusals(limits), layers.admit_caller(route.caller, authenticator), by_account)
    return (*admit, _limit_streams(limits)) if route.is_stream else admit


def _public_limit(rpc: str, limits: Limits) -> tuple[str, RateLimit]:
    """Returns the limit of a method that anybody may call, and its name."""
    if rpc == CREATE_GUEST:
        return "guest", limits.guests
    if rpc in REGISTRATIONS:
        return "registration", limits.registrations
    if rpc in SIGN_INS:
        return "sign_in", limits.sign_ins
    return "public", limits.public


def _noting_peer(limits: Limits) -> Layer:
    """Makes known where a call comes from."""
    peer = _peer(limits)

    def layer(proceed: Handler) -> Handler:
        async def run(call: Call) -> Any:
            adopt_peer(peer(call))
            return await proceed(call)

        return run

    return layer


def _limit_refusals(limits: Limits) -> Layer:
    """Stops to look at the tokens of a peer that sends bad ones."""
    peer = _peer(limits)

    def layer(proceed: Handler) -> Handler:
        async def run(call: Call) -> Any:
            key = peer(call)
            _check("refused", limits.refused.wait_s(key))
            try:
                return await proceed(call)
            except NotSignedInError as error:
                if error.reason == _BAD_TOKEN:
                    limits.refused.take(key)
                raise

        return run

    return layer


def _limit_streams(limits: Limits) -> Layer:
    """Lets an account have only so many open streams."""

    def layer(proceed: Handler) -> Handler:
        async def run(call: Call) -> Any:
            player_id = current_player().player_id
            if not limits.streams.enter(player_id):
                _check("streams", _STREAMS_RETRY_S)
            try:
                return await proceed(call)
            finally:
                limits.streams.leave(player_id)

        return run

    return layer


def _throttled(name: str, limit: RateLimit, key_of: Callable[[Call], str]) -> Layer:
    def layer(proceed: Handler) -> Handler:
        async def run(call: Call) -> Any:
            _check(name, limit.take(key_of(call)))
            return await proceed(call)

        return run

    return layer


def _check(name: str, wait_s: float) -> None:
    if wait_s > 0:
        raise ThrottledError(ErrorReason.ERROR_REASON_RATE_LIMITED, retry_after_s=wait_s, limit=name)


def _peer(limits: Limits) -> Callable[[Call], str]:
    return lambda call: peer_key(call.context.peer(), call.metadata, limits.trusted_proxies)
