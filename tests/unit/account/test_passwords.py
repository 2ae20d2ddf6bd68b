"""Passwords and login names."""

import asyncio
import threading

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from zxcvbn.matching import L33T_TABLE, enumerate_l33t_subs, relevant_l33t_subtable

from mahjong_account.login_names import checked_login_name
from mahjong_account.metrics import AccountMetrics
from mahjong_account.passwords import HashCost, Passwords, _judged, random_password
from mahjong_kit.errors import InvalidRequestError, ThrottledError
from mahjong_kit.metrics import ServiceMetrics

CHEAP = HashCost(memory_kib=8 << 10, passes=1, lanes=1)
PASSWORD = "nine green bamboos"


@pytest.fixture
def metrics():
    return AccountMetrics(ServiceMetrics("account"))


@pytest.fixture
def passwords(metrics):
    made = Passwords(CHEAP, 2, metrics)
    yield made
    made.close()


async def test_right_password_is_right_and_others_are_not(passwords):
    hashed = await passwords.hash(PASSWORD, "lin", "Lin")
    assert await passwords.is_right(PASSWORD, hashed)
    assert not await passwords.is_right(PASSWORD + "x", hashed)
    assert not await passwords.is_right("", hashed)
    assert not await passwords.is_right(PASSWORD, "no hash")


async def test_password_of_nobody_costs_as_much_and_is_never_right(passwords, metrics):
    """Both ways verify one hash of the present cost: the time tells nothing."""
    hashed = await passwords.hash(PASSWORD, "lin", "Lin")
    assert hashed.split("$")[:4] == passwords._nobodys.split("$")[:4]
    for kept in (hashed, None):
        before = metrics.passwords_verified._value.get()
        assert not await passwords.is_right("a guess", kept)
        assert metrics.passwords_verified._value.get() == before + 1


async def test_hash_of_a_lower_cost_is_outdated(passwords, metrics):
    hashed = await passwords.hash(PASSWORD, "lin", "Lin")
    dearer = Passwords(HashCost(memory_kib=16 << 10, passes=1, lanes=1), 1, metrics)
    assert not passwords.is_outdated(hashed)
    assert dearer.is_outdated(hashed)
    assert await dearer.is_right(PASSWORD, hashed)
    dearer.close()


async def test_hashing_leaves_the_event_loop_free_and_a_long_line_is_turned_away(metrics):
    passwords = Passwords(CHEAP, 1, metrics)
    gate = threading.Event()
    first = asyncio.ensure_future(passwords._run(gate.wait))
    waiting = [asyncio.ensure_future(passwords.is_right(PASSWORD, None)) for _ in range(64)]
    await asyncio.sleep(0)
    with pytest.raises(ThrottledError) as caught:
        await passwords.is_right(PASSWORD, None)
    assert (caught.value.reason, caught.value.metadata) == ("ERROR_REASON_RATE_LIMITED", {"limit": "passwords"})
    gate.set()
    assert await first
    assert await asyncio.gather(*waiting) == [False] * 64
    passwords.close()


async def test_random_password_may_be_set(passwords):
    await passwords.hash(random_password(), "lin", "Lin")


@given(st.text("4@8({[<36!1|0$5+7%29ab", max_size=128))
@example("4@8({[<36!1|0$5+7%29" * 6)
def test_password_of_many_symbols_is_read_in_few_ways(password):
    """In hundreds it would cost seconds of a core before it is hashed, and anybody may send it."""
    readings = enumerate_l33t_subs(relevant_l33t_subtable(_judged(password), L33T_TABLE))
    assert len(readings) <= 64


@pytest.mark.parametrize("password", ["P@$$w0rd", "pa55word!!", "!@#$%^&*()", "111111111111"])
async def test_password_that_is_a_word_with_symbols_is_guessable(passwords, password):
    with pytest.raises(InvalidRequestError) as caught:
        await passwords.hash(password, "lin", "Lin")
    assert caught.value.metadata == {"problem": "guessable"}


async def test_long_password_of_every_symbol_may_be_set(passwords):
    await passwords.hash("4@8({[<36!1|0$5+7%29" * 6, "lin", "Lin")


@given(st.text(max_size=40))
def test_login_name_that_is_kept_is_plain_and_kept_the_same_again(text):
    try:
        name = checked_login_name(text)
    except InvalidRequestError:
        return
    assert checked_login_name(name.upper()) == name
    assert 3 <= len(name) <= 32
    assert set(name) <= set("abcdefghijklmnopqrstuvwxyz0123456789._-")
