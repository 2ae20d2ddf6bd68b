"""Passwords: which may be set, and how they are hashed (Argon2id, RFC 9106) beside the event loop."""

import asyncio
import math
import secrets
import unicodedata
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Final, TypeVar

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError
from zxcvbn import zxcvbn
from zxcvbn.matching import L33T_TABLE, relevant_l33t_subtable

from mahjong_account import errors
from mahjong_account.metrics import AccountMetrics

LENGTH_MIN: Final = 8
LENGTH_MAX: Final = 128
_SCORE_MIN: Final = 2
"""Of zxcvbn, 0-4: withstands an online attack without a rate limit (10^6 guesses at least)."""
_JUDGED_LENGTH: Final = 64
"""More of a password is not looked at: it takes long and changes nothing."""
_READINGS_MAX: Final = 16
"""zxcvbn tries each reading of a password with symbols for letters; with every symbol that there is, for seconds."""
_WAITING_MAX: Final = 64
_RETRY_AFTER_S: Final = 1.0
_RANDOM_BYTES: Final = 12

ResultT = TypeVar("ResultT")


@dataclass(frozen=True, slots=True)
class HashCost:
    """What one hash costs. The default is the second recommended option of RFC 9106, section 4."""

    memory_kib: int = 64 << 10
    passes: int = 3
    lanes: int = 4


class Passwords:
    """Hashes and verifies, so many at once; more wait in line, and when the line is long they are turned away."""

    def __init__(self, cost: HashCost, concurrency: int, metrics: AccountMetrics) -> None:
        self._hasher = PasswordHasher(cost.passes, cost.memory_kib, cost.lanes)
        self._pool = ThreadPoolExecutor(concurrency, "passwords")
        self._most = concurrency + _WAITING_MAX
        self._metrics = metrics
        self._open = 0
        self._nobodys = self._hasher.hash(secrets.token_urlsafe())
        """Verified for login names that do not exist, so that they take as long as others."""

    async def hash(self, password: str, login_name: str, display_name: str) -> str:
        """Returns the hash of a new password, in the form that names its parameters.

        Args:
            password: the password.
            login_name: the account's; a password that is made of it is guessable.
            display_name: the same.

        Raises:
            InvalidRequestError: `PASSWORD_REFUSED`; problem `too_short`, `too_long`, `unprintable` or `guessable`.
            ThrottledError: `RATE_LIMITED`.
        """
        composed = _checked(password)

        def work() -> str | None:
            judged = zxcvbn(_judged(composed), [login_name, display_name], max_length=_JUDGED_LENGTH)
            return None if judged["score"] < _SCORE_MIN else self._hasher.hash(composed)

        hashed = await self._run(work)
        if hashed is None:
            raise errors.password_refused("guessable")
        return hashed

    async def is_right(self, password: str, hashed: str | None) -> bool:
        """Whether a password is the one that was hashed; takes the same time for no hash, and for a wrong password.

        Raises:
            ThrottledError: `RATE_LIMITED`.
        """
        composed = _composed(password)

        def work() -> bool:
            try:
                return self._hasher.verify(hashed or self._nobodys, composed)
            except (VerificationError, InvalidHashError):
                return False

        self._metrics.passwords_verified.inc()
        return await self._run(work) and hashed is not None

    def is_outdated(self, hashed: str) -> bool:
        """Whether a password should be hashed again, because the settings ask for another cost now."""
        return self._hasher.check_needs_rehash(hashed)

    async def hash_again(self, password: str) -> str:
        """Returns the hash of a password that was accepted before."""
        return await self._run(lambda: self._hasher.hash(_composed(password)))

    def close(self) -> None:
        """Ends the threads."""
        self._pool.shutdown(wait=False, cancel_futures=True)

    async def _run(self, work: Callable[[], ResultT]) -> ResultT:
        if self._open >= self._most:
            raise errors.rate_limited("passwords", _RETRY_AFTER_S)
        self._open += 1
        try:
            return await asyncio.get_running_loop().run_in_executor(self._pool, work)
        finally:
            self._open -= 1


def random_password() -> str:
    """Returns a password for an account whose own was lost. 16 characters."""
    return secrets.token_urlsafe(_RANDOM_BYTES)


def _composed(password: str) -> str:
    """Returns the password as it is hashed: the same however a keyboard composes its characters (NIST SP 800-63B)."""
    return unicodedata.normalize("NFKC", password)


def _checked(password: str) -> str:
    if len(password) > LENGTH_MAX:
        raise errors.password_refused("too_long")
    composed = _composed(password)
    if len(composed) < LENGTH_MIN:
        raise errors.password_refused("too_short")
    if any(unicodedata.category(character) in {"Cc", "Cs", "Cn"} for character in composed):
        raise errors.password_refused("unprintable")
    return composed


def _judged(password: str) -> str:
    """Returns what is judged of a password: its beginning; with one symbol per letter if it has too many readings."""
    beginning = password[:_JUDGED_LENGTH]
    symbols = relevant_l33t_subtable(beginning, L33T_TABLE)
    if math.prod(map(len, symbols.values())) <= _READINGS_MAX:
        return beginning
    return beginning.translate({ord(other): kept for kept, *others in symbols.values() for other in others})
