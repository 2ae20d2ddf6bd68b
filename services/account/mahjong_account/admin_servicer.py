"""AccountAdminService on the wire."""

from mahjong_account.credentials import Credentials
from mahjong_account.key_ring import KeyRing
from mahjong_account.key_store import KeyState
from mahjong_account.models import SigningKey
from mahjong_account.wire import LOGIN_NAME_LENGTH_MAX, checked_text
from mahjong_kit.auth import current_identity, log_fields
from mahjong_kit.fields import value_of
from mahjong_kit.log import get_logger
from mahjong_kit.times import timestamp
from mahjongplanet.account.v1 import admin_service_pb2 as pb
from mahjongplanet.account.v1.admin_service_pb2_grpc import AccountAdminServiceServicer

_log = get_logger()


class AdminServicer(AccountAdminServiceServicer):
    """Answers operators."""

    def __init__(self, keys: KeyRing, credentials: Credentials) -> None:
        self._keys = keys
        self._credentials = credentials

    async def ListKeys(self, request: pb.ListKeysRequest, context: object) -> pb.ListKeysResponse:
        keys = await self._keys.store.list_keys()
        states = self._keys.store.states(keys)
        return pb.ListKeysResponse(keys=[_key(key, states[key.generation]) for key in keys])

    async def RotateKey(self, request: pb.RotateKeyRequest, context: object) -> pb.RotateKeyResponse:
        added = await self._keys.rotate(at_once=request.at_once, withdraw_others=request.withdraw_others)
        _log.info("signing_key.rotated", key_id=added.key_id, **_operator())
        states = self._keys.store.states(await self._keys.store.list_keys())
        return pb.RotateKeyResponse(key=_key(added, states[added.generation]))

    async def ResetPassword(self, request: pb.ResetPasswordRequest, context: object) -> pb.ResetPasswordResponse:
        login_name = checked_text("login_name", request.login_name, LOGIN_NAME_LENGTH_MAX)
        player_id, password = await self._credentials.reset_password(login_name)
        _log.info("password.reset", player_id=player_id, **_operator())
        return pb.ResetPasswordResponse(player_id=player_id, password=password)


def _operator() -> dict[str, str]:
    identity = current_identity()
    return {} if identity is None else log_fields(identity)


def _key(key: SigningKey, state: KeyState) -> pb.Key:
    withdraw_time = None if key.withdraw_time_ms is None else timestamp(key.withdraw_time_ms)
    return pb.Key(
        key_id=key.key_id,
        state=value_of(pb.KeyState, state.value),
        create_time=timestamp(key.create_time_ms),
        activate_time=timestamp(key.activate_time_ms),
        withdraw_time=withdraw_time,
    )
