"""Keys that are fetched when they are needed."""

import asyncio

import pytest

from mahjong_kit.errors import UnavailableError, service_unreachable
from mahjong_kit.keys import FETCHED_AGAIN_AFTER_S, KEPT_FOR_S, FetchedKeys, public_key
from tests.kit.tokens import TokenIssuer

SIGNER = TokenIssuer().signer
KEYS = {SIGNER.key_id: SIGNER.jwk}


class Account:
    """Answers with its keys, or not at all; counts how often it was asked."""

    def __init__(self, keys):
        self.keys = keys
        self.asked = 0
        self.now = 1000.0

    async def fetch(self):
        self.asked += 1
        await asyncio.sleep(0)
        if self.keys is None:
            raise service_unreachable("account")
        return self.keys


@pytest.fixture
def account():
    return Account(dict(KEYS))


@pytest.fixture
def fetched(account):
    return FetchedKeys(account.fetch, lambda: account.now)


async def test_known_key_is_fetched_once(account, fetched):
    assert await fetched.find_key(SIGNER.key_id) == public_key(SIGNER.jwk)
    await fetched.find_key(SIGNER.key_id)
    assert account.asked == 1


async def test_calls_that_come_at_once_wait_for_one_fetch(account, fetched):
    keys = await asyncio.gather(*(fetched.find_key(SIGNER.key_id) for _ in range(20)))
    assert None not in keys
    assert account.asked == 1


async def test_unknown_key_is_looked_for_again_but_not_for_every_call(account, fetched):
    assert [await fetched.find_key("made up") for _ in range(20)] == [None] * 20
    assert account.asked == 1
    account.now += FETCHED_AGAIN_AFTER_S
    account.keys["new"] = SIGNER.jwk
    assert await fetched.find_key("new") is not None
    assert account.asked == 2


async def test_withdrawn_key_stops_to_count(account, fetched):
    await fetched.find_key(SIGNER.key_id)
    account.keys.clear()
    account.now += KEPT_FOR_S - 1
    assert await fetched.find_key(SIGNER.key_id) is not None
    account.now += 2
    assert await fetched.find_key(SIGNER.key_id) is None


async def test_known_key_counts_on_while_nobody_answers(account, fetched):
    await fetched.find_key(SIGNER.key_id)
    account.keys = None
    account.now += KEPT_FOR_S + 1
    assert await fetched.find_key(SIGNER.key_id) is not None


async def test_unknown_key_is_unavailable_while_nobody_answers(account, fetched):
    account.keys = None
    for _ in range(10):
        with pytest.raises(UnavailableError):
            await fetched.find_key(SIGNER.key_id)
    assert account.asked == 1
    account.keys = dict(KEYS)
    account.now += FETCHED_AGAIN_AFTER_S
    assert await fetched.find_key(SIGNER.key_id) is not None


OTHER_KEYS = ['{"kty":"oct","k":"a2V5"}', '{"kty":"EC","crv":"P-256","x":"AA","y":"AA"}', "{}", "[]", "", "nonsense"]


@pytest.mark.parametrize("jwk", OTHER_KEYS)
def test_key_of_another_kind_is_refused(jwk):
    with pytest.raises(ValueError, match=r"not a|Expecting"):
        public_key(jwk)


async def test_keys_of_other_kinds_do_not_hinder_the_known_ones(account, fetched):
    account.keys |= {f"other {number}": jwk for number, jwk in enumerate(OTHER_KEYS)}
    assert await fetched.find_key(SIGNER.key_id) is not None
    assert await fetched.find_key("other 0") is None
