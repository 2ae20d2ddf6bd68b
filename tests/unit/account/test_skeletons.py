"""What names look like."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mahjong_account.names import CODE_POINTS_MAX, checked_name, chosen_name
from mahjong_account.skeletons import _PROTOTYPES, looks_of, skeleton
from mahjong_kit.errors import InvalidRequestError


@pytest.mark.parametrize(
    ("name", "other"),
    [
        ("Paul", "PAUL"),
        ("Paul", "PauI"),  # capital i
        ("Paul", "Pau1"),
        ("Paul", "\u0420\u0430ul"),  # Cyrillic er, a
        ("Paul", "\uff30\uff41\uff55\uff4c"),  # full width
        ("Paul", "\U0001d54f\U0001d552\U0001d566\U0001d55d".replace("\U0001d54f", "\u2119")),  # double-struck
        ("Nick", "NICK"),
        ("Mark", "\u039cARK"),  # Greek mu
        ("Burn", "Bum"),  # r and n
        ("O'Neil", "O\u2019Neil"),
        ("Straße", "STRASSE"),
        ("Zoë", "ZOE\u0308"),
        ("Olga", "0lga"),
        ("Star\u2b50", "Star\u2b50\ufe0f"),
    ],
)
def test_names_that_look_alike_share_a_look(name, other):
    assert looks_of(name) & looks_of(other)


@pytest.mark.parametrize(
    ("name", "other"),
    [("Paul", "Paula"), ("Zoë", "Zoe"), ("Ruth", "Tuth"), ("Lin 1", "Lin 2"), ("麻雀", "麻将"), ("Jose", "José")],
)
def test_names_that_look_different_share_none(name, other):
    assert not looks_of(name) & looks_of(other)


@given(st.text(max_size=30))
def test_look_is_the_same_for_every_spelling_of_a_name(text):
    assert looks_of(text) == looks_of(unicodedata.normalize("NFD", text))
    assert looks_of(text) & looks_of(unicodedata.normalize("NFKC", text))


LETTERS = st.characters(categories=("L",), codec="utf-8")


@given(st.text(LETTERS, min_size=1, max_size=20), st.data())
def test_exchange_of_a_letter_by_one_that_looks_like_it_keeps_a_look(name, data):
    alike = {}
    for source, prototype in _PROTOTYPES.items():
        alike.setdefault(prototype, []).append(chr(source))
    name = unicodedata.normalize("NFKD", name)
    place = data.draw(st.integers(0, len(name) - 1))
    others = alike.get(name[place], [])
    other = name[:place] + (data.draw(st.sampled_from(others)) if others else name[place]) + name[place + 1 :]
    assert looks_of(name) & looks_of(other)


def test_table_replaces_by_what_it_does_not_replace_again():
    for source, prototype in _PROTOTYPES.items():
        assert skeleton(skeleton(chr(source))) == skeleton(chr(source)), hex(source)
        assert chr(source) not in prototype


@given(st.text(max_size=60))
def test_accepted_name_is_short_visible_and_accepted_again(text):
    try:
        name = checked_name(text)
    except InvalidRequestError:
        return
    assert checked_name(name) == name
    assert 1 <= len(name) <= CODE_POINTS_MAX
    assert not any(unicodedata.category(character)[0] == "C" for character in name)
    assert name == name.strip()
    assert looks_of(name)


@given(st.sampled_from(["Admin", "Computer", "Moderator", "管理者"]), st.data())
def test_reserved_name_in_disguise_is_refused(name, data):
    disguised = "".join(data.draw(st.sampled_from([letter, letter.upper(), letter + "."])) for letter in name)
    disguised += data.draw(st.sampled_from(["", " 7", "!", "_"]))
    with pytest.raises(InvalidRequestError) as caught:
        checked_name(disguised)
    assert caught.value.metadata == {"problem": "reserved"}


def test_chosen_names_may_be_used():
    for _ in range(500):
        checked_name(chosen_name())
