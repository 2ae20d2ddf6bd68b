"""Refresh tokens."""

from mahjong_account.refresh_token import hash_of, new_salt, new_token, next_token


def test_tokens_differ_and_fit():
    tokens = {new_token() for _ in range(1000)}
    assert len(tokens) == 1000
    assert {len(token) for token in tokens} == {43}


def test_next_token_follows_from_the_spent_one_and_its_salt_alone():
    token, salt = new_token(), new_salt()
    assert next_token(token, salt) == next_token(token, salt)
    assert len({next_token(token, salt), next_token(token, new_salt()), next_token(new_token(), salt), token}) == 4
    assert len(next_token(token, salt)) == 43


def test_hash_tells_nothing_of_the_token():
    token = new_token()
    assert len(hash_of(token)) == 32
    assert token.encode() not in hash_of(token)
