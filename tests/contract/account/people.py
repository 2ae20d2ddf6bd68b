"""Players for tests of accounts."""

from dataclasses import dataclass
from typing import Any

from mahjongplanet.account.v1 import account_service_pb2 as pb
from tests.kit.tokens import Metadata, bearer

PASSWORD = "nine green bamboos"
OTHER_PASSWORD = "seven red dragons"


@dataclass
class Person:
    """A signed-in player."""

    profile: pb.Profile
    session: pb.Session

    @property
    def player_id(self) -> str:
        return self.profile.player_id

    @property
    def me(self) -> Metadata:
        """The metadata of the player's calls."""
        return bearer(self.session.access_token)


async def guest(account: Any, name: str = "Lin") -> Person:
    """Makes a guest."""
    made = await account.CreateGuest(pb.CreateGuestRequest(display_name=name))
    return Person(made.profile, made.session)


async def registered(account: Any, login_name: str = "lin", name: str = "", device_name: str = "") -> Person:
    """Makes an account."""
    request = pb.RegisterAccountRequest(
        login_name=login_name, password=PASSWORD, display_name=name or login_name.title(), device_name=device_name
    )
    made = await account.RegisterAccount(request)
    return Person(made.profile, made.session)


async def sign_in(account: Any, login_name: str = "lin", password: str = PASSWORD, device_name: str = "") -> Person:
    """Signs an account in."""
    request = pb.SignInRequest(login_name=login_name, password=password, device_name=device_name)
    made = await account.SignIn(request)
    return Person(made.profile, made.session)
