"""The matchmaker over a Valkey cluster of three nodes: the tests of its matches and rooms once more."""

import pytest

from tests.contract.matchmaker.test_matches import *  # noqa: F403 - all of its tests
from tests.contract.matchmaker.test_rooms import *  # noqa: F403


@pytest.fixture
def redis_url(cluster_url: str) -> str:
    """Stands for the URL of one server."""
    return cluster_url
