import asyncio
import unicodedata
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from typing import TYPE_CHECKING, TypeVar

from quartet.kernel.errors import AppError

if TYPE_CHECKING:
    from argon2 import PasswordHasher

T = TypeVar("T")

MIN_CHARACTERS = 8
MAX_BYTES = 1024
# The parameters OWASP recommends. At most two hashes run at a time and the queue is short, so that
# a flood of logins cannot exhaust the memory or CPU of a small server.
MEMORY_KIB = 19 * 1024
ROUNDS = 2
PARALLEL = 2
MAX_WAITING = 32


def check_password_rules(password: str) -> None:
    if len(password) < MIN_CHARACTERS:
        raise AppError(400, "password_too_short", min=MIN_CHARACTERS)
    if len(password.encode()) > MAX_BYTES:
        raise AppError(400, "password_too_long", max=MAX_BYTES)


class Passwords:
    """Hashes and verifies passwords with Argon2id in a thread pool."""

    def __init__(self) -> None:
        self._pool = ThreadPoolExecutor(PARALLEL, "argon2")
        self._waiting = 0

    @cached_property
    def _hasher(self) -> "PasswordHasher":
        # Imported here because it is not needed for the first answer.
        from argon2 import PasswordHasher

        return PasswordHasher(time_cost=ROUNDS, memory_cost=MEMORY_KIB, parallelism=1)

    async def hash(self, password: str) -> str:
        return await self._run(lambda: self.hash_now(password))

    def hash_now(self, password: str) -> str:
        return self._hasher.hash(_normalize(password))

    async def verify(self, stored: str | None, password: str) -> bool:
        """Verify a password.

        Takes the same time for unknown users, so that timing reveals no user names.
        """
        return await self._run(lambda: self._verify(stored, password))

    def _verify(self, stored: str | None, password: str) -> bool:
        from argon2.exceptions import InvalidHashError, VerificationError

        if len(password.encode()) > MAX_BYTES:
            return False
        try:
            self._hasher.verify(stored or self._dummy_hash, _normalize(password))
        except (VerificationError, InvalidHashError):
            return False
        return bool(stored)

    @cached_property
    def _dummy_hash(self) -> str:
        return self._hasher.hash("nobody")

    async def _run(self, work: Callable[[], T]) -> T:
        if self._waiting >= MAX_WAITING:
            raise AppError(429, "too_many_requests", seconds=1)
        self._waiting += 1
        try:
            return await asyncio.get_running_loop().run_in_executor(self._pool, work)
        finally:
            self._waiting -= 1

    def close(self) -> None:
        self._pool.shutdown(wait=False, cancel_futures=True)


def _normalize(password: str) -> str:
    """Normalise to NFC: macOS and Windows encode the same umlaut differently."""
    return unicodedata.normalize("NFC", password)
