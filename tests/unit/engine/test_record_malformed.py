"""Whatever a record holds, judging it gives a clean verdict and never another error."""

import copy
import json
from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mahjong_engine.record_header import RecordError
from mahjong_engine.referee import legal_answers, verify_record

DATA = Path(__file__).parents[2] / "data" / "hand_records"
RECORDS = [
    json.loads((DATA / f"records-{name}.jsonl").read_text().splitlines()[line])
    for name, line in (("classical", 9), ("classical", 2), ("taiwanese", 7), ("taiwanese", 1))
]
WORDS = st.sampled_from(
    ["5b", "E", "f1", "discard", "kong", "claimed_kong", "pung", "chow", "win", "pass", "classical"]
)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**70), 2**70) | st.floats() | st.text(max_size=6) | WORDS,
    lambda inner: st.lists(inner, max_size=5) | st.dictionaries(WORDS | st.text(max_size=4), inner, max_size=4),
    max_leaves=8,
)


def paths(value, path=()):
    """Yields the path of every part, the record itself first."""
    yield path
    parts = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, part in parts:
        if key != "wall":
            yield from paths(part, (*path, key))


def with_part(record, path, value):
    if not path:
        return value
    changed = copy.deepcopy(record)
    place = changed
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = value
    return changed


@settings(max_examples=400, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.data())
def test_any_value_in_any_place_of_a_record_gives_a_clean_verdict(data):
    record = data.draw(st.sampled_from(RECORDS))
    record = with_part(record, data.draw(st.sampled_from(list(paths(record)))), data.draw(VALUES))
    for judge in (verify_record, legal_answers):
        error = error_of(judge, record)
        assert error is None or error.decision is None or 0 <= error.decision <= len(record["decisions"])


def error_of(judge, record):
    try:
        judge(record)
    except RecordError as error:
        return error
    return None
