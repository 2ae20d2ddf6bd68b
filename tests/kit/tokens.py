"""Real tokens for tests, signed by a key of their own."""

import time
import uuid
from collections.abc import Mapping

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

from mahjong_account.signing import Signer
from mahjong_kit.auth import Authenticator, InternalTokens, Operator, Service
from mahjong_kit.keys import FetchedKeys

SERVICE_KEY = "the service key of all tests, which is at least sixty-four bytes"
Metadata = tuple[tuple[str, str], ...]


class TokenIssuer:
    """Signs as the account service does, and knows who verifies that."""

    def __init__(self, lifetime_s: int = 900) -> None:
        self._key = Ed25519PrivateKey.generate()
        self.signer = Signer(self._key, lifetime_s)
        self.service_key = SERVICE_KEY

    @property
    def signing_key_pem(self) -> str:
        """The private key, for the setting ACCOUNT_SIGNING_KEY of a real account service."""
        return self._key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()).decode()

    def authenticator(self) -> Authenticator:
        """Returns an authenticator that knows this issuer's key, as if fetched from the account service."""
        return Authenticator(FetchedKeys(self._keys), SERVICE_KEY)

    def access_token(self, player_id: str, display_name: str = "Somebody", *, issued_at: int | None = None) -> str:
        """Returns the access token of a player."""
        return self.signer.sign(player_id, display_name, int(time.time()) if issued_at is None else issued_at).text

    def player(self, player_id: str | None = None, display_name: str = "Somebody") -> Metadata:
        """Returns the metadata of a player's call."""
        return bearer(self.access_token(player_id or str(uuid.uuid4()), display_name))

    def service(self, name: str = "matchmaker") -> Metadata:
        """Returns the metadata of a service's call."""
        return bearer(self.internal_tokens(name).token())

    def operator(self, name: str = "someone") -> Metadata:
        """Returns the metadata of an operator's call."""
        return bearer(InternalTokens(Operator(name), SERVICE_KEY).token())

    def internal_tokens(self, name: str) -> InternalTokens:
        """Returns what a service's stubs sign their calls by."""
        return InternalTokens(Service(name), SERVICE_KEY)

    async def _keys(self) -> Mapping[str, str]:
        return {self.signer.key_id: self.signer.jwk}


def bearer(token: str) -> Metadata:
    """Returns the metadata that carries a token."""
    return (("authorization", f"Bearer {token}"),)
