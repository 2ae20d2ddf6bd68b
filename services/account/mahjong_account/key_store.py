"""The keys that access tokens are signed by, in the database: shared by all replicas, kept over restarts."""

from collections.abc import Callable, Mapping, Sequence
from enum import Enum

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from sqlalchemy.exc import IntegrityError
from sqlmodel import col, select, update

from mahjong_account.models import SigningKey
from mahjong_account.signing import Seal, public_jwk, thumbprint
from mahjong_kit.sql import Database

_OVERLAP_MS = 3_600_000
"""How long after a key has begun to sign replicas may still sign by the one before it (a rollout)."""


class KeyState(Enum):
    """What a key is good for."""

    PUBLISHED = "published"
    SIGNING = "signing"
    VERIFYING = "verifying"
    RETIRED = "retired"


class KeyStore:
    """Keeps the signing keys of the platform."""

    def __init__(self, database: Database, seal: Seal, access_lifetime_s: int, clock_ms: Callable[[], int]) -> None:
        self._database = database
        self._seal = seal
        self._kept_ms = access_lifetime_s * 1000 + _OVERLAP_MS
        self._clock_ms = clock_ms

    async def list_keys(self) -> Sequence[SigningKey]:
        """Returns all keys, newest first."""
        async with self._database.reading() as session:
            return (await session.exec(select(SigningKey).order_by(col(SigningKey.generation).desc()))).all()

    async def signing_key(self, given: Ed25519PrivateKey | None) -> Ed25519PrivateKey:
        """Returns the key to sign by; all replicas that start at once get the same.

        Args:
            given: The key of the settings, if there is one. Without one the newest key of the database counts that may
                sign now, or a new one if there is none that this service key opens.
        """
        while True:
            keys = await self.list_keys()
            if (usable := self._usable(keys, given)) is not None:
                return usable
            await self.add_after(keys, given, self._clock_ms())

    async def add_after(
        self, keys: Sequence[SigningKey], given: Ed25519PrivateKey | None, activate_time_ms: int
    ) -> SigningKey:
        """Adds a key after those known, or finds that another replica was faster; returns the newest.

        Args:
            keys: The keys known, newest first.
            given: The key of the settings; a new one is made without it.
            activate_time_ms: From when on it signs.
        """
        key = given or Ed25519PrivateKey.generate()
        jwk = public_jwk(key.public_key())
        row = SigningKey(
            generation=1 + (keys[0].generation if keys else 0),
            key_id=thumbprint(jwk),
            jwk_json=jwk,
            sealed_key=None if given else self._seal.seal(key),
            create_time_ms=self._clock_ms(),
            activate_time_ms=activate_time_ms,
        )
        try:
            async with self._database.writing() as session:
                session.add(row)
        except IntegrityError:
            return (await self.list_keys())[0]
        return row

    async def withdraw_before(self, generation: int) -> None:
        """Takes all keys before this one out of use at once."""
        async with self._database.writing() as session:
            await session.exec(
                update(SigningKey)
                .where(col(SigningKey.generation) < generation, col(SigningKey.withdraw_time_ms).is_(None))
                .values(withdraw_time_ms=self._clock_ms())
            )

    async def living_keys(self) -> Mapping[str, str]:
        """Returns the public keys, as JSON Web Keys by key id, that a living token may be signed by or soon will be."""
        keys = await self.list_keys()
        states = self.states(keys)
        return {key.key_id: key.jwk_json for key in reversed(keys) if states[key.generation] is not KeyState.RETIRED}

    def states(self, keys: Sequence[SigningKey]) -> Mapping[int, KeyState]:
        """Returns what each key is good for now, by its generation.

        Args:
            keys: All keys, newest first.
        """
        now_ms = self._clock_ms()
        states = {}
        follower: SigningKey | None = None
        for key in keys:
            if key.withdraw_time_ms is not None:
                states[key.generation] = KeyState.RETIRED
                continue
            if key.activate_time_ms > now_ms:
                states[key.generation] = KeyState.PUBLISHED
                continue
            if follower is None:
                states[key.generation] = KeyState.SIGNING
            elif follower.activate_time_ms > now_ms - self._kept_ms:
                states[key.generation] = KeyState.VERIFYING
            else:
                states[key.generation] = KeyState.RETIRED
            follower = key
        return states

    def _usable(self, keys: Sequence[SigningKey], given: Ed25519PrivateKey | None) -> Ed25519PrivateKey | None:
        if given is not None:
            is_newest = bool(keys) and keys[0].key_id == thumbprint(public_jwk(given.public_key()))
            return given if is_newest else None
        states = self.states(keys)
        signing = next((key for key in keys if states[key.generation] is KeyState.SIGNING), None)
        if signing is None or signing.sealed_key is None:
            return None
        return self._seal.open(signing.sealed_key)
