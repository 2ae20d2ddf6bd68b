"""Whose limits a call counts for."""

import pytest

from mahjong_gateway.peers import peer_key


@pytest.mark.parametrize(
    ("peer", "key"),
    [
        ("ipv4:203.0.113.7:4711", "203.0.113.7"),
        ("http:203.0.113.7:4711", "203.0.113.7"),
        ("ipv6:%5B2001:db8:1:2:3:4:5:6%5D:4711", "2001:db8:1:2::/64"),
        ("http:2001:db8:1:2:3:4:5:6:4711", "2001:db8:1:2::/64"),
        ("http:::ffff:203.0.113.7:4711", "203.0.113.7"),
        ("http:None", "unknown"),
        ("unix:", "unknown"),
        ("", "unknown"),
    ],
)
def test_peers_of_both_edges_have_one_key_each(peer, key):
    assert peer_key(peer, {}, 0) == key


@pytest.mark.parametrize(
    ("forwarded", "proxies", "key"),
    [
        ("198.51.100.1", 0, "203.0.113.7"),
        ("198.51.100.1", 1, "198.51.100.1"),
        ("6.6.6.6, 198.51.100.1", 1, "198.51.100.1"),
        ("198.51.100.1, 10.0.0.1", 2, "198.51.100.1"),
        ("198.51.100.1", 2, "203.0.113.7"),
        ("nonsense", 1, "unknown"),
    ],
)
def test_only_entries_of_our_own_proxies_are_believed(forwarded, proxies, key):
    assert peer_key("ipv4:203.0.113.7:1", {"x-forwarded-for": forwarded}, proxies) == key


def test_missing_header_behind_a_proxy_falls_back_to_the_connection():
    assert peer_key("ipv4:203.0.113.7:1", {}, 1) == "203.0.113.7"
