"""Where a call comes from, as far as rate limits need to know."""

import ipaddress
from collections.abc import Mapping
from contextvars import ContextVar
from typing import Final
from urllib.parse import unquote

FORWARDED_FOR: Final = "x-forwarded-for"
PEER_KEY: Final = "x-peer"
"""Metadata in which the account service is told where a call came from, for its own limits."""
_IPV6_PREFIX: Final = 64

_peer: ContextVar[str] = ContextVar("peer", default="")


def adopt_peer(key: str) -> None:
    """Makes known where the call that is served now came from."""
    _peer.set(key)


def current_peer() -> str:
    """Returns where the call that is served now came from, as `peer_key` names it; empty outside of calls."""
    return _peer.get()


def peer_key(peer: str, metadata: Mapping[str, str | bytes], trusted_proxies: int) -> str:
    """Returns the address that a caller's limits go by: an IPv4 address, or the /64 network of an IPv6 address.

    Args:
        peer: the other end of the connection as gRPC names it, such as `ipv4:127.0.0.1:4711`.
        metadata: headers of the call.
        trusted_proxies: how many proxies of ours stand in front; each has added one entry to X-Forwarded-For.
    """
    header = str(metadata.get(FORWARDED_FOR, ""))
    forwarded = header.split(",") if header else []
    if 0 < trusted_proxies <= len(forwarded):
        address = forwarded[-trusted_proxies].strip()
    else:
        address = unquote(peer).partition(":")[2].rpartition(":")[0]
    return _network(address.strip("[]"))


def _network(address: str) -> str:
    try:
        ip = ipaddress.ip_address(address)
    except ValueError:
        return "unknown"
    if isinstance(ip, ipaddress.IPv6Address):
        if ip.ipv4_mapped is not None:
            return str(ip.ipv4_mapped)
        return str(ipaddress.ip_network((ip, _IPV6_PREFIX), strict=False))
    return str(ip)
