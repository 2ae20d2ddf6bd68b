"""How often the gateway asks for the key set that it shows."""

from mahjong_gateway.key_set import KeySet
from mahjong_kit.errors import service_unreachable
from mahjongplanet.account.v1.account_service_pb2 import ListSigningKeysResponse


class Account:
    """Gives no keys, or does not answer; and the time."""

    def __init__(self):
        self.is_away = False
        self.asked = 0
        self.time_s = 0.0

    async def ask(self):
        self.asked += 1
        if self.is_away:
            raise service_unreachable("account")
        return ListSigningKeysResponse().SerializeToString()

    def clock(self):
        return self.time_s


async def statuses(keys, count):
    return [(await keys.respond()).status for _ in range(count)]


async def test_keys_are_asked_for_once_a_minute_and_kept_through_an_outage():
    account = Account()
    keys = KeySet(account.ask, account.clock)
    assert (await statuses(keys, 3), account.asked) == ([200] * 3, 1)
    account.is_away, account.time_s = True, 60.0
    assert (await statuses(keys, 3), account.asked) == ([200] * 3, 2)
    account.time_s = 65.0
    assert (await statuses(keys, 3), account.asked) == ([200] * 3, 3)


async def test_account_service_that_is_away_is_not_asked_for_each_request():
    account = Account()
    account.is_away = True
    keys = KeySet(account.ask, account.clock)
    assert (await statuses(keys, 3), account.asked) == ([503] * 3, 1)
    account.is_away, account.time_s = False, 5.0
    assert await statuses(keys, 1) == [200]
