"""The keys that access tokens are signed by, in the database: shared by all replicas, kept over restarts."""

from collections.abc import Callable, Mapping, Sequence

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from sqlalchemy.exc import IntegrityError
from sqlmodel import col, select

from mahjong_account.models import SigningKey
from mahjong_account.signing import Seal, public_jwk, thumbprint
from mahjong_kit.sql import Database

_OVERLAP_MS = 3_600_000
"""How long after a new key replicas may still sign by the one before it (a rollout)."""


class KeyStore:
    """Keeps the signing keys of the platform."""

    def __init__(self, database: Database, seal: Seal, access_lifetime_s: int, clock_ms: Callable[[], int]) -> None:
        self._database = database
        self._seal = seal
        self._kept_ms = access_lifetime_s * 1000 + _OVERLAP_MS
        self._clock_ms = clock_ms

    async def signing_key(self, given: Ed25519PrivateKey | None) -> Ed25519PrivateKey:
        """Returns the key to sign by; all replicas that start at once get the same.

        Args:
            given: The key of the settings, if there is one. Without one the newest key of the database counts, or a new
                one if there is none that this service key opens.
        """
        while True:
            newest = await self._newest()
            if (usable := self._usable(newest, given)) is not None:
                return usable
            generation = 1 if newest is None else newest.generation + 1
            await self._add(generation, given)

    async def living_keys(self) -> Mapping[str, str]:
        """Returns the public keys, as JSON Web Keys by key id, that a living token may be signed by."""
        async with self._database.reading() as session:
            keys = (await session.exec(select(SigningKey).order_by(col(SigningKey.generation)))).all()
        living_since_ms = self._clock_ms() - self._kept_ms
        followers: Sequence[SigningKey | None] = [*keys[1:], None]
        return {
            key.key_id: key.jwk_json
            for key, follower in zip(keys, followers, strict=True)
            if follower is None or follower.create_time_ms > living_since_ms
        }

    async def _newest(self) -> SigningKey | None:
        async with self._database.reading() as session:
            newest_first = select(SigningKey).order_by(col(SigningKey.generation).desc()).limit(1)
            return (await session.exec(newest_first)).one_or_none()

    def _usable(self, newest: SigningKey | None, given: Ed25519PrivateKey | None) -> Ed25519PrivateKey | None:
        if newest is None:
            return None
        if given is not None:
            return given if newest.key_id == thumbprint(public_jwk(given.public_key())) else None
        return None if newest.sealed_key is None else self._seal.open(newest.sealed_key)

    async def _add(self, generation: int, given: Ed25519PrivateKey | None) -> None:
        key = given or Ed25519PrivateKey.generate()
        jwk = public_jwk(key.public_key())
        row = SigningKey(
            generation=generation,
            key_id=thumbprint(jwk),
            jwk_json=jwk,
            sealed_key=None if given else self._seal.seal(key),
            create_time_ms=self._clock_ms(),
        )
        try:
            async with self._database.writing() as session:
                session.add(row)
        except IntegrityError:
            return  # Another replica was faster: its key counts.
