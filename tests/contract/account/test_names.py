"""Display names that belong to one registered account."""

import asyncio

import grpc
import pytest

from mahjongplanet.account.v1 import account_service_pb2 as pb
from tests.contract.account.people import PASSWORD, guest, registered
from tests.kit.wire import refused


async def rename(account, person, name):
    request = pb.SetMyDisplayNameRequest(display_name=name)
    return (await account.SetMyDisplayName(request, metadata=person.me)).profile


async def find(account, person, name):
    return (await account.FindPlayer(pb.FindPlayerRequest(display_name=name), metadata=person.me)).profile


async def test_guests_share_names_and_accounts_do_not(account):
    assert (await guest(account, "Paul")).profile.display_name == (await guest(account, "Paul")).profile.display_name
    await registered(account, "paul", "Paul")
    with refused() as refusal:
        await registered(account, "other", "Paul")
    assert (refusal.code, refusal.reason) == (grpc.StatusCode.ALREADY_EXISTS, "DISPLAY_NAME_TAKEN")


@pytest.mark.parametrize("name", ["PAUL", "PauI", "\u0420\u0430ul", "\uff30\uff41\uff55\uff4c", "P\u03b1ul"])
async def test_name_that_looks_like_one_of_an_account_is_taken(account, name):
    await registered(account, "paul", "Paul")
    person = await guest(account, "Lin")
    with refused() as refusal:
        await guest(account, name)
    assert refusal.reason == "DISPLAY_NAME_TAKEN"
    with refused() as refusal:
        await rename(account, person, name)
    assert refusal.reason == "DISPLAY_NAME_TAKEN"


async def test_name_is_free_again_once_its_owner_has_another(account):
    paul = await registered(account, "paul", "Paul")
    await rename(account, paul, "Saul")
    assert (await registered(account, "other", "PAUL")).profile.display_name == "PAUL"
    with refused() as refusal:
        await rename(account, paul, "Paul")
    assert refusal.reason == "DISPLAY_NAME_TAKEN"
    assert (await rename(account, paul, "SAUL")).display_name == "SAUL", "its own name in another way"


async def test_of_many_who_take_one_name_at_once_one_gets_it(account):
    people = [await registered(account, f"lin{number}", f"Name {word}") for number, word in enumerate("ABCD")]
    outcomes = await asyncio.gather(*(rename(account, person, "Paul") for person in people), return_exceptions=True)
    assert sum(isinstance(outcome, pb.Profile) for outcome in outcomes) == 1
    codes = {outcome.code() for outcome in outcomes if isinstance(outcome, grpc.aio.AioRpcError)}
    assert codes == {grpc.StatusCode.ALREADY_EXISTS}


async def test_guest_whose_name_an_account_has_must_take_another_to_become_one(account):
    person = await guest(account, "Paul")
    await registered(account, "paul", "Paul")
    with refused() as refusal:
        request = pb.UpgradeGuestRequest(login_name="lin", password=PASSWORD)
        await account.UpgradeGuest(request, metadata=person.me)
    assert refusal.reason == "DISPLAY_NAME_TAKEN"
    request = pb.UpgradeGuestRequest(login_name="lin", password=PASSWORD, display_name="Saul")
    assert (await account.UpgradeGuest(request, metadata=person.me)).profile.display_name == "Saul"


async def test_registered_player_is_found_by_a_name_that_looks_the_same(account):
    paul, person = await registered(account, "paul", "Paul"), await guest(account, "Lin")
    assert await find(account, person, " pAUL ") == paul.profile
    for name in ("Lin", "Paula"):
        with refused() as refusal:
            await find(account, person, name)
        assert (refusal.code, refusal.reason) == (grpc.StatusCode.NOT_FOUND, "PLAYER_NOT_FOUND")
