"""Display names."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mahjong_account.names import checked_name, chosen_name
from mahjong_kit.errors import InvalidRequestError


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Lin", "Lin"),
        (" \t Lin \u3000", "Lin"),
        ("e\u0301", "é"),
        ("x" * 24, "x" * 24),
        ("e\u0301" * 24, "é" * 24),
        ("麻雀の星", "麻雀の星"),
        ("🀄🀅🀆", "🀄🀅🀆"),
        ("Ann B. O'Neil-3", "Ann B. O'Neil-3"),
        ("Ann \u3000 Lee", "Ann Lee"),
        (
            "\u05e9\u05c1\u05b8\u05dc\u05d5\u05b9\u05dd",
            "\u05e9\u05b8\u05c1\u05dc\u05d5\u05b9\u05dd",
        ),
        ("\u0928\u092e\u0938\u094d\u0924\u0947", "\u0928\u092e\u0938\u094d\u0924\u0947"),  # Devanagari
        ("\U0001f1e9\U0001f1ea" * 16, "\U0001f1e9\U0001f1ea" * 16),  # 16 flags, 32 code points
    ],
)
def test_name_is_kept_composed_and_without_space_around_it(text, name):
    assert checked_name(text) == name


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "empty"),
        (" \u3000\n", "empty"),
        ("x" * 25, "too_long"),
        ("x" * 100_000, "too_long"),
        (" " * 300 + "x", "too_long"),
        ("\U0001f1e9\U0001f1ea" * 17, "too_long"),
        ("Z\u0351\u036b\u0343\u036a\u0302algo", "marks"),
        ("a\ufe00", "unprintable"),  # variation selector
        ("a\u034fb", "unprintable"),  # grapheme joiner
        ("Admin", "reserved"),
        ("\u0410dmin", "reserved"),  # Cyrillic A
        ("C0mputer 2", "reserved"),
        ("a_d_m_i_n", "reserved"),
        ("Deleted player", "reserved"),
        ("a\nb", "unprintable"),
        ("a\x00b", "unprintable"),
        ("a\u202eb", "unprintable"),  # right-to-left override
        ("a\u200bb", "unprintable"),  # zero-width space
        ("\ufeffa", "unprintable"),  # byte order mark
        ("a\u2028b", "unprintable"),  # line separator
        ("a\ue000b", "unprintable"),  # private use
        ("a\U000e0041b", "unprintable"),  # tag
        ("\u3164\u115f", "blank"),  # Hangul fillers
        ("\u2800", "blank"),  # Braille without dots
        ("\u0301", "blank"),  # a mark on nothing
    ],
)
def test_name_that_may_not_be_is_refused_with_its_problem(text, problem):
    with pytest.raises(InvalidRequestError) as caught:
        checked_name(text)
    assert caught.value.metadata == {"problem": problem}


@given(st.text(max_size=40))
def test_name_that_is_kept_is_kept_the_same_again(text):
    try:
        name = checked_name(text)
    except InvalidRequestError:
        return
    assert checked_name(name) == name
    assert 1 <= len(name) <= 24


def test_chosen_names_may_be_used():
    assert all(checked_name(name) == name for name in (chosen_name() for _ in range(2000)))
