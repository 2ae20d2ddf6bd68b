"""Rate limits at the edge."""

import grpc

from mahjongplanet.account.v1.account_service_pb2 import CreateGuestRequest
from mahjongplanet.account.v1.account_service_pb2_grpc import AccountServiceStub
from tests.contract.gateway.paths import CREATE_GUEST, MY_ACCOUNT, SERVER_INFO, SUBMIT_ACTION, told_by_reply
from tests.kit.wire import refused

SLOW = 0.001


async def test_new_guests_are_limited_by_address_on_both_ports(serve_gateway, upstream_address):
    async with serve_gateway(upstream_address, guest_burst=2, guest_per_s=SLOW) as ports:
        assert [(await ports.call(CREATE_GUEST)).status for _ in range(2)] == [200, 200]
        reply = await ports.call(CREATE_GUEST)
        error = told_by_reply(reply)
        assert (reply.status, error.reason, error.metadata) == (429, "RATE_LIMITED", {"limit": "guest"})
        assert error.retry_after_s is not None
        assert 900 < error.retry_after_s <= 1000
        async with ports.channel() as channel:
            with refused() as refusal:
                await AccountServiceStub(channel).CreateGuest(CreateGuestRequest())
        assert (refusal.code, refusal.reason) == (grpc.StatusCode.RESOURCE_EXHAUSTED, "RATE_LIMITED")
        assert (await ports.call(SERVER_INFO)).status == 200


async def test_players_are_limited_by_account(serve_gateway, upstream_address, issuer):
    async with serve_gateway(upstream_address, player_burst=3, player_per_s=SLOW) as ports:
        ann, bea = (f"Bearer {issuer.access_token(name)}" for name in ("ann", "bea"))
        assert [(await ports.call(SUBMIT_ACTION, authorization=ann)).status for _ in range(4)] == [200] * 3 + [429]
        assert (await ports.call(SUBMIT_ACTION, authorization=bea)).status == 200


async def test_peer_that_sends_bad_tokens_is_not_listened_to_for_a_while(serve_gateway, upstream_address, token):
    async with serve_gateway(upstream_address, refused_burst=3, refused_per_s=SLOW) as ports:
        for _ in range(3):
            assert told_by_reply(await ports.call(MY_ACCOUNT, authorization="Bearer x")).reason == "TOKEN_INVALID"
        error = told_by_reply(await ports.call(MY_ACCOUNT, authorization="Bearer x"))
        assert (error.reason, error.metadata) == ("RATE_LIMITED", {"limit": "refused"})
        assert told_by_reply(await ports.call(SUBMIT_ACTION, authorization=token)).reason == "RATE_LIMITED"


async def test_methods_that_do_not_exist_count_too(serve_gateway, upstream_address):
    async with serve_gateway(upstream_address, public_burst=2, public_per_s=SLOW) as ports:
        assert [(await ports.call("/mahjongplanet.No/Thing")).status for _ in range(3)] == [501, 501, 429]


async def test_proxies_of_ours_tell_addresses_and_clients_cannot(serve_gateway, upstream_address):
    async def statuses(ports, *forwarded):
        return [(await ports.call(SERVER_INFO, x_forwarded_for=one)).status for one in forwarded]

    async with serve_gateway(upstream_address, public_burst=1, public_per_s=SLOW) as ports:
        assert await statuses(ports, "1.1.1.1", "2.2.2.2") == [200, 429]
    async with serve_gateway(upstream_address, public_burst=1, public_per_s=SLOW, trusted_proxies=1) as ports:
        assert await statuses(ports, "1.1.1.1", "2.2.2.2", "9.9.9.9, 2.2.2.2") == [200, 200, 429]
        assert await statuses(ports, "9.9.9.9\r\nx-forwarded-for: 2.2.2.2") == [429], "in lines of their own"
