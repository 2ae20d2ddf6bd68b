"""AccountService on the wire."""

from typing import Any, Final

from mahjong_account.credentials import Credentials
from mahjong_account.deletion import Deletion
from mahjong_account.devices import checked_device_name
from mahjong_account.key_store import KeyStore
from mahjong_account.profile import profile_of
from mahjong_account.service import AccountService
from mahjong_account.sessions import Sessions
from mahjong_account.wire import (
    LOGIN_NAME_LENGTH_MAX,
    PASSWORD_LENGTH_MAX,
    checked_own_password,
    checked_text,
    profile_message,
    session_message,
)
from mahjong_kit.auth import current_player
from mahjong_kit.errors import invalid_field
from mahjong_kit.fields import checked_uuid
from mahjong_kit.times import timestamp
from mahjongplanet.account.v1 import account_service_pb2 as pb
from mahjongplanet.account.v1.account_service_pb2_grpc import AccountServiceServicer

PEER_KEY: Final = "x-peer"
"""Metadata in which the gateway says where a call came from."""
_TOKEN_LENGTH_MAX: Final = 256
_PROFILES_MAX: Final = 100


class AccountServicer(AccountServiceServicer):
    """Answers the calls of players and services."""

    def __init__(
        self,
        accounts: AccountService,
        sessions: Sessions,
        credentials: Credentials,
        deletion: Deletion,
        keys: KeyStore,
    ) -> None:
        self._accounts = accounts
        self._sessions = sessions
        self._credentials = credentials
        self._deletion = deletion
        self._keys = keys

    async def CreateGuest(self, request: pb.CreateGuestRequest, context: object) -> pb.CreateGuestResponse:
        device_name = checked_device_name(request.device_name)
        signed_in = await self._accounts.create_guest(request.display_name, device_name)
        return pb.CreateGuestResponse(profile=profile_message(signed_in.profile), session=session_message(signed_in))

    async def RegisterAccount(self, request: pb.RegisterAccountRequest, context: object) -> pb.RegisterAccountResponse:
        device_name = checked_device_name(request.device_name)
        signed_in = await self._credentials.register(
            request.login_name, request.password, request.display_name, device_name
        )
        profile, session = profile_message(signed_in.profile), session_message(signed_in)
        return pb.RegisterAccountResponse(profile=profile, session=session)

    async def UpgradeGuest(self, request: pb.UpgradeGuestRequest, context: object) -> pb.UpgradeGuestResponse:
        player_id = current_player().player_id
        profile = await self._credentials.upgrade(player_id, request.login_name, request.password, request.display_name)
        return pb.UpgradeGuestResponse(profile=profile_message(profile))

    async def SignIn(self, request: pb.SignInRequest, context: Any) -> pb.SignInResponse:
        signed_in = await self._credentials.sign_in(
            checked_text("login_name", request.login_name, LOGIN_NAME_LENGTH_MAX),
            checked_text("password", request.password, PASSWORD_LENGTH_MAX),
            checked_device_name(request.device_name),
            _address(context),
        )
        return pb.SignInResponse(profile=profile_message(signed_in.profile), session=session_message(signed_in))

    async def ChangePassword(self, request: pb.ChangePasswordRequest, context: object) -> pb.ChangePasswordResponse:
        current = checked_text("current_password", request.current_password, PASSWORD_LENGTH_MAX)
        signed_in = await self._credentials.change_password(current_player(), current, request.new_password)
        return pb.ChangePasswordResponse(session=session_message(signed_in))

    async def RefreshSession(self, request: pb.RefreshSessionRequest, context: object) -> pb.RefreshSessionResponse:
        token = checked_text("refresh_token", request.refresh_token, _TOKEN_LENGTH_MAX)
        signed_in = await self._sessions.refresh(token)
        profile, session = profile_message(signed_in.profile), session_message(signed_in)
        return pb.RefreshSessionResponse(profile=profile, session=session)

    async def SignOut(self, request: pb.SignOutRequest, context: object) -> pb.SignOutResponse:
        await self._sessions.sign_out(checked_text("refresh_token", request.refresh_token, _TOKEN_LENGTH_MAX))
        return pb.SignOutResponse()

    async def SignOutEverywhere(
        self, request: pb.SignOutEverywhereRequest, context: object
    ) -> pb.SignOutEverywhereResponse:
        count = await self._sessions.sign_out_everywhere(current_player().player_id)
        return pb.SignOutEverywhereResponse(ended_count=count)

    async def ListMySessions(self, request: pb.ListMySessionsRequest, context: object) -> pb.ListMySessionsResponse:
        player = current_player()
        sessions = await self._sessions.list_open(player.player_id)
        return pb.ListMySessionsResponse(
            sessions=[
                pb.SessionSummary(
                    session_id=session.session_id,
                    device_name=session.device_name,
                    create_time=timestamp(session.create_time_ms),
                    refresh_time=timestamp(session.refresh_time_ms),
                    expire_time=timestamp(session.expire_time_ms),
                    is_current=session.session_id == player.session_id,
                )
                for session in sessions
            ]
        )

    async def EndMySession(self, request: pb.EndMySessionRequest, context: object) -> pb.EndMySessionResponse:
        session_id = checked_uuid("session_id", request.session_id)
        await self._sessions.end(current_player().player_id, session_id)
        return pb.EndMySessionResponse()

    async def DeleteMyAccount(self, request: pb.DeleteMyAccountRequest, context: object) -> pb.DeleteMyAccountResponse:
        password = checked_own_password(request.password)
        await self._deletion.delete(current_player().player_id, password)
        return pb.DeleteMyAccountResponse()

    async def GetMyAccount(self, request: pb.GetMyAccountRequest, context: object) -> pb.GetMyAccountResponse:
        account = await self._accounts.account(current_player().player_id)
        return pb.GetMyAccountResponse(
            profile=profile_message(profile_of(account)),
            create_time=timestamp(account.create_time_ms),
            login_name=account.login_name or "",
            has_password=account.password_hash is not None,
            has_openid=await self._accounts.has_openid(account.player_id),
        )

    async def SetMyDisplayName(
        self, request: pb.SetMyDisplayNameRequest, context: object
    ) -> pb.SetMyDisplayNameResponse:
        profile = await self._accounts.rename(current_player().player_id, request.display_name)
        return pb.SetMyDisplayNameResponse(profile=profile_message(profile))

    async def BatchGetProfiles(
        self, request: pb.BatchGetProfilesRequest, context: object
    ) -> pb.BatchGetProfilesResponse:
        if not 1 <= len(request.player_ids) <= _PROFILES_MAX:
            raise invalid_field("player_ids", f"must be 1-{_PROFILES_MAX} ids")
        profiles = await self._accounts.profiles(request.player_ids)
        return pb.BatchGetProfilesResponse(profiles=map(profile_message, profiles))

    async def FindPlayer(self, request: pb.FindPlayerRequest, context: object) -> pb.FindPlayerResponse:
        return pb.FindPlayerResponse(profile=profile_message(await self._accounts.find_player(request.display_name)))

    async def ListSigningKeys(self, request: pb.ListSigningKeysRequest, context: object) -> pb.ListSigningKeysResponse:
        keys = await self._keys.living_keys()
        return pb.ListSigningKeysResponse(
            keys=[pb.SigningKey(key_id=key_id, jwk_json=jwk) for key_id, jwk in keys.items()]
        )


def _address(context: Any) -> str:
    """Returns where a call came from: what the gateway says, or nothing for a call that came past it."""
    return str(dict(context.invocation_metadata() or ()).get(PEER_KEY, ""))
