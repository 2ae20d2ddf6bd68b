"""The table service over a Valkey cluster of three nodes: the tests of its projection once more."""

import pytest

from tests.contract.table.test_recovery import (  # noqa: F401
    test_redis_may_be_wiped_in_the_middle_of_a_hand,
    test_the_projection_holds_clocks_deadline_and_owner,
)
from tests.contract.table.test_watching import (  # noqa: F401
    test_events_that_are_nowhere_any_more_are_replaced_by_a_snapshot,
    test_events_that_memory_has_let_go_come_from_redis,
)


@pytest.fixture
def redis_url(cluster_url: str) -> str:
    """Stands for the URL of one server."""
    return cluster_url
