"""The key that this replica signs by now, and the next one in time: by a schedule, and when an operator says so."""

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from mahjong_account import errors
from mahjong_account.key_store import KeyStore
from mahjong_account.models import SigningKey
from mahjong_account.signing import Signer
from mahjong_kit.background import running
from mahjong_kit.log import get_logger

_log = get_logger()


@dataclass(frozen=True, slots=True)
class Rotation:
    """When keys change."""

    period_s: int
    """Age at which a key gets a follower; 0 for never."""
    publish_s: int
    """How long a key is listed before it signs, so that whoever caches keys knows it by then."""
    check_period_s: float
    """How often a replica looks whether there is another key to sign by."""


class KeyRing:
    """Holds the signer; open it with `open_key_ring`."""

    def __init__(
        self,
        store: KeyStore,
        given: Ed25519PrivateKey | None,
        rotation: Rotation,
        access_lifetime_s: int,
        clock_ms: Callable[[], int],
    ) -> None:
        self.store = store
        self._given = given
        self._rotation = rotation
        self._access_lifetime_s = access_lifetime_s
        self._clock_ms = clock_ms
        self._signer: Signer | None = None

    @property
    def signer(self) -> Signer:
        """Signs access tokens."""
        assert self._signer is not None
        return self._signer

    async def refresh(self) -> None:
        """Adds the next key if it is due, and signs by the key whose turn it is."""
        key = await self.store.signing_key(self._given)
        keys = await self.store.list_keys()
        age_ms = self._clock_ms() - keys[0].activate_time_ms
        if self._given is None and 0 < self._rotation.period_s * 1000 <= age_ms:
            added = await self._add_after(keys, self._rotation.publish_s)
            _log.info("signing_key.rotated", key_id=added.key_id, operator="schedule")
        signer = Signer(key, self._access_lifetime_s)
        if self._signer is None or signer.key_id != self._signer.key_id:
            self._signer = signer

    async def rotate(self, *, at_once: bool, withdraw_others: bool) -> SigningKey:
        """Makes a new key, which signs after the time to publish it, or at once.

        Raises:
            RuleViolationError: `SIGNING_KEY_FROM_SETTINGS`.
        """
        if self._given is not None:
            raise errors.signing_key_from_settings()
        keys = await self.store.list_keys()
        added = await self._add_after(keys, 0 if at_once or withdraw_others else self._rotation.publish_s)
        if withdraw_others:
            await self.store.withdraw_before(added.generation)
        await self.refresh()
        return added

    async def run(self) -> None:
        """Refreshes once a period until cancelled."""
        while True:
            await asyncio.sleep(self._rotation.check_period_s)
            try:
                await self.refresh()
            except Exception as error:  # noqa: BLE001 - a store that is away for a while must not end the rotation
                _log.warning("signing_key.unchecked", problem=repr(error))

    async def _add_after(self, keys: Sequence[SigningKey], publish_s: int) -> SigningKey:
        return await self.store.add_after(keys, None, self._clock_ms() + publish_s * 1000)


@asynccontextmanager
async def open_key_ring(ring: KeyRing) -> AsyncIterator[KeyRing]:
    """Gives the ring with a key to sign by, and keeps it up to date until the block ends."""
    await ring.refresh()
    async with running(ring.run()):
        yield ring
