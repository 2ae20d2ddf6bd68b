"""OpenIdService on the wire."""

import re
from typing import Final

from mahjong_account import errors
from mahjong_account.devices import checked_device_name
from mahjong_account.openid import OpenId, Returned
from mahjong_account.wire import checked_own_password, checked_text, profile_message, session_message
from mahjong_kit.auth import current_player
from mahjong_kit.errors import invalid_field
from mahjong_kit.times import timestamp
from mahjongplanet.account.v1 import openid_service_pb2 as pb
from mahjongplanet.account.v1.openid_service_pb2_grpc import OpenIdServiceServicer

_STATE_LENGTH_MAX: Final = 256
_CODE_LENGTH_MAX: Final = 2_048
_CHALLENGE: Final = re.compile(r"[A-Za-z0-9_-]{43}")
_VERIFIER: Final = re.compile(r"[A-Za-z0-9._~-]{43,128}")


class OpenIdServicer(OpenIdServiceServicer):
    """Answers players who sign in by an outside issuer; without one, says so."""

    def __init__(self, openid: OpenId | None, issuer: str, name: str) -> None:
        self._offered = openid
        self._issuer = issuer
        self._name = name

    async def GetOpenIdIssuer(self, request: pb.GetOpenIdIssuerRequest, context: object) -> pb.GetOpenIdIssuerResponse:
        self._openid()
        return pb.GetOpenIdIssuerResponse(issuer=self._issuer, name=self._name)

    async def BeginOpenIdSignIn(
        self, request: pb.BeginOpenIdSignInRequest, context: object
    ) -> pb.BeginOpenIdSignInResponse:
        openid = self._openid()
        if not _CHALLENGE.fullmatch(request.code_challenge):
            raise invalid_field("code_challenge", "no SHA-256 in base64url without padding")
        begun = await openid.begin(request.redirect_uri, request.code_challenge)
        return pb.BeginOpenIdSignInResponse(
            authorization_url=begun.authorization_url,
            state=begun.state,
            expire_time=timestamp(begun.expire_time_ms),
        )

    async def FinishOpenIdSignIn(
        self, request: pb.FinishOpenIdSignInRequest, context: object
    ) -> pb.FinishOpenIdSignInResponse:
        device_name = checked_device_name(request.device_name)
        signed_in, is_new = await self._openid().finish(_returned(request), device_name)
        profile, session = profile_message(signed_in.profile), session_message(signed_in)
        return pb.FinishOpenIdSignInResponse(profile=profile, session=session, is_new=is_new)

    async def LinkOpenId(self, request: pb.LinkOpenIdRequest, context: object) -> pb.LinkOpenIdResponse:
        password = checked_own_password(request.password)
        profile = await self._openid().link(current_player().player_id, password, _returned(request))
        return pb.LinkOpenIdResponse(profile=profile_message(profile))

    def _openid(self) -> OpenId:
        if self._offered is None:
            raise errors.openid_not_offered()
        return self._offered


def _returned(request: pb.FinishOpenIdSignInRequest | pb.LinkOpenIdRequest) -> Returned:
    if not _VERIFIER.fullmatch(request.code_verifier):
        raise invalid_field("code_verifier", "must be 43-128 of A-Z a-z 0-9 - . _ ~")
    return Returned(
        checked_text("state", request.state, _STATE_LENGTH_MAX),
        checked_text("code", request.code, _CODE_LENGTH_MAX),
        request.code_verifier,
    )
