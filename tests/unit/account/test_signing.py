"""Access tokens and the keys that sign them."""

import json

import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from mahjong_account.signing import Seal, Signer, public_jwk, read_key, thumbprint
from tests.kit.tokens import TokenIssuer

RFC_8037_JWK = '{"crv":"Ed25519","kty":"OKP","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}'
RFC_8037_SEED = bytes.fromhex("9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60")


def test_key_and_thumbprint_are_those_of_rfc_8037():
    key = Ed25519PrivateKey.from_private_bytes(RFC_8037_SEED).public_key()
    assert public_jwk(key) == RFC_8037_JWK
    assert thumbprint(RFC_8037_JWK) == "kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k"


def test_token_is_the_same_for_the_same_player_and_time():
    signer = Signer(Ed25519PrivateKey.generate(), 900)
    token = signer.sign("p", "Lin", 1000)
    assert token == signer.sign("p", "Lin", 1000)
    assert token.expires_at == 1900
    assert jwt.get_unverified_header(token.text) == {"alg": "EdDSA", "kid": signer.key_id, "typ": "JWT"}


@pytest.mark.parametrize("name", ["\U0001f004" * 24, "\u1e9e" * 24, '"' * 24])
def test_token_with_the_longest_name_fits_a_kibibyte(name):
    signer = Signer(Ed25519PrivateKey.generate(), 900)
    assert len(signer.sign("6b4ad2a8-7c1c-4b8e-9d53-0f5b6f0d8a11", name, 2_000_000_000).text) <= 1024


def test_sealed_key_opens_under_the_same_service_key_only():
    key = Ed25519PrivateKey.generate()
    sealed = Seal("service key").seal(key)
    assert key.private_bytes_raw() not in sealed
    opened = Seal("service key").open(sealed)
    assert opened is not None
    assert opened.private_bytes_raw() == key.private_bytes_raw()
    assert Seal("another one").open(sealed) is None
    assert Seal("service key").open(sealed[:-1] + bytes([sealed[-1] ^ 1])) is None


def test_key_of_the_settings_is_read_from_pem():
    issuer = TokenIssuer()
    assert public_jwk(read_key(issuer.signing_key_pem).public_key()) == issuer.signer.jwk


@pytest.mark.parametrize("pem", ["", "nonsense", "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----"])
def test_text_that_is_no_key_is_refused(pem):
    with pytest.raises(ValueError):
        read_key(pem)


def test_jwk_is_public():
    assert set(json.loads(public_jwk(Ed25519PrivateKey.generate().public_key()))) == {"crv", "kty", "x"}
