"""AccountService on the wire."""

from google.protobuf.timestamp_pb2 import Timestamp

from mahjong_account.key_store import KeyStore
from mahjong_account.service import AccountService, Profile, SignedIn, profile_of
from mahjong_kit.auth import current_player
from mahjong_kit.errors import invalid_field
from mahjongplanet.account.v1 import account_service_pb2 as pb
from mahjongplanet.account.v1.account_service_pb2_grpc import AccountServiceServicer

_TOKEN_LENGTH_MAX = 256
_PROFILES_MAX = 100


class AccountServicer(AccountServiceServicer):
    """Answers the calls of players and services."""

    def __init__(self, accounts: AccountService, keys: KeyStore) -> None:
        self._accounts = accounts
        self._keys = keys

    async def CreateGuest(self, request: pb.CreateGuestRequest, context: object) -> pb.CreateGuestResponse:
        signed_in = await self._accounts.create_guest(request.display_name)
        return pb.CreateGuestResponse(profile=_profile(signed_in.profile), session=_session(signed_in))

    async def RefreshSession(self, request: pb.RefreshSessionRequest, context: object) -> pb.RefreshSessionResponse:
        signed_in = await self._accounts.refresh(_checked_token(request.refresh_token))
        return pb.RefreshSessionResponse(profile=_profile(signed_in.profile), session=_session(signed_in))

    async def SignOut(self, request: pb.SignOutRequest, context: object) -> pb.SignOutResponse:
        await self._accounts.sign_out(_checked_token(request.refresh_token))
        return pb.SignOutResponse()

    async def GetMyAccount(self, request: pb.GetMyAccountRequest, context: object) -> pb.GetMyAccountResponse:
        account = await self._accounts.account(current_player().player_id)
        return pb.GetMyAccountResponse(
            profile=_profile(profile_of(account)), create_time=_timestamp(account.create_time_ms)
        )

    async def SetMyDisplayName(
        self, request: pb.SetMyDisplayNameRequest, context: object
    ) -> pb.SetMyDisplayNameResponse:
        profile = await self._accounts.rename(current_player().player_id, request.display_name)
        return pb.SetMyDisplayNameResponse(profile=_profile(profile))

    async def BatchGetProfiles(
        self, request: pb.BatchGetProfilesRequest, context: object
    ) -> pb.BatchGetProfilesResponse:
        if not 1 <= len(request.player_ids) <= _PROFILES_MAX:
            raise invalid_field("player_ids", f"must be 1-{_PROFILES_MAX} ids")
        profiles = await self._accounts.profiles(request.player_ids)
        return pb.BatchGetProfilesResponse(profiles=map(_profile, profiles))

    async def ListSigningKeys(self, request: pb.ListSigningKeysRequest, context: object) -> pb.ListSigningKeysResponse:
        keys = await self._keys.living_keys()
        return pb.ListSigningKeysResponse(
            keys=[pb.SigningKey(key_id=key_id, jwk_json=jwk) for key_id, jwk in keys.items()]
        )


def _checked_token(token: str) -> str:
    if not 1 <= len(token) <= _TOKEN_LENGTH_MAX:
        raise invalid_field("refresh_token", f"must have 1-{_TOKEN_LENGTH_MAX} characters")
    return token


def _profile(profile: Profile) -> pb.Profile:
    return pb.Profile(player_id=profile.player_id, display_name=profile.display_name, is_guest=profile.is_guest)


def _session(signed_in: SignedIn) -> pb.Session:
    return pb.Session(
        access_token=signed_in.access.text,
        access_expire_time=Timestamp(seconds=signed_in.access.expires_at),
        refresh_token=signed_in.refresh_token,
        refresh_expire_time=_timestamp(signed_in.refresh_expire_time_ms),
    )


def _timestamp(time_ms: int) -> Timestamp:
    return Timestamp(seconds=time_ms // 1000, nanos=time_ms % 1000 * 1_000_000)
