"""The error reasons: their page, and that all code sends them as their comments say."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from libs.kit.scripts.build_errors_page import PAGE, PROTO, ROOT, Reason, page_of, read_reasons
from mahjong_kit import errors
from mahjong_kit.errors import ErrorReason, ServiceError

REASONS = {reason.name: reason for reason in read_reasons(PROTO.read_text())}
OWN_KEYWORDS = {"retry_after_s"}


def test_every_reason_says_its_code_and_metadata():
    assert {f"ERROR_REASON_{name}" for name in REASONS} == set(ErrorReason.keys()) - {"ERROR_REASON_UNSPECIFIED"}


def test_page_of_errors_is_what_the_comments_say():
    assert PAGE.read_text() == page_of(list(REASONS.values())), "run `make docs`"


@dataclass(frozen=True)
class Raised:
    """One place in the code that makes an error with a reason."""

    place: str
    error_class: type[ServiceError]
    reason: Reason
    keys: frozenset[str]
    has_more_keys: bool


def raised_errors() -> Iterator[Raised]:
    for path in sorted([*ROOT.glob("libs/*/mahjong_*/**/*.py"), *ROOT.glob("services/*/mahjong_*/**/*.py")]):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Call) and node.args and (raised := read_call(node, path)) is not None:
                yield raised


def read_call(node: ast.Call, path: Path) -> Raised | None:
    name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
    reason = node.args[0]
    error_class = getattr(errors, name, None)
    if not (
        isinstance(error_class, type) and issubclass(error_class, ServiceError) and isinstance(reason, ast.Attribute)
    ):
        return None
    keywords = {keyword.arg for keyword in node.keywords}
    return Raised(
        place=f"{path.relative_to(ROOT)}:{node.lineno}",
        error_class=error_class,
        reason=REASONS[reason.attr.removeprefix("ERROR_REASON_")],
        keys=frozenset(keywords - OWN_KEYWORDS - {None}),
        has_more_keys=None in keywords,
    )


RAISED = list(raised_errors())


@pytest.mark.parametrize("raised", RAISED, ids=lambda raised: raised.place)
def test_error_is_sent_with_the_code_and_metadata_of_its_comment(raised):
    assert raised.error_class.code.name == raised.reason.code
    assert raised.keys <= {*raised.reason.metadata, *raised.reason.optional_metadata}
    assert raised.has_more_keys or raised.keys >= set(raised.reason.metadata)


def test_errors_of_several_services_are_among_those_looked_at():
    assert {"libs/kit", "services/account"} <= {"/".join(raised.place.split("/")[:2]) for raised in RAISED}


@pytest.mark.parametrize("reason", REASONS.values(), ids=lambda reason: reason.name)
def test_reasons_with_retry_info_are_those_of_the_classes_that_have_it(reason):
    if reason.has_retry_info:
        assert reason.code in {"RESOURCE_EXHAUSTED", "UNAVAILABLE"}
    else:
        assert reason.code != "UNAVAILABLE"
