import asyncio
import statistics
import time
import unicodedata
from collections.abc import Iterator

import pytest

from quartet.kernel.auth import Passwords
from quartet.kernel.errors import AppError

pytestmark = pytest.mark.anyio


@pytest.fixture
def passwords(monkeypatch: pytest.MonkeyPatch) -> Iterator[Passwords]:
    """A Passwords instance with production parameters."""
    monkeypatch.setattr("quartet.kernel.auth.passwords.MEMORY_KIB", 46 * 1024)
    passwords = Passwords()
    yield passwords
    passwords.close()


async def test_verify_accepts_only_correct_password(passwords: Passwords) -> None:
    stored = await passwords.hash("correct horse")
    assert stored.startswith("$argon2id$")
    assert await passwords.verify(stored, "correct horse")
    assert not await passwords.verify(stored, "correct horsf")
    assert not await passwords.verify("not a hash", "correct horse")
    assert not await passwords.verify(None, "nobody")
    assert not await passwords.verify("", "nobody")


async def test_verify_normalises_unicode(passwords: Passwords) -> None:
    stored = await passwords.hash(unicodedata.normalize("NFC", "Schlüsselwörter"))
    assert await passwords.verify(stored, unicodedata.normalize("NFD", "Schlüsselwörter"))


async def test_event_loop_runs_while_passwords_are_hashed(passwords: Passwords) -> None:
    hashing = asyncio.gather(*(passwords.hash("correct horse") for _ in range(8)))
    turns = 0
    while not hashing.done():
        await asyncio.sleep(0.001)
        turns += 1
    # Hashing on the event loop would allow at most one iteration per hash.
    assert turns > 2 * 8


async def test_excess_hash_requests_are_rejected() -> None:
    # Cheap hashes, since only their number counts.
    passwords = Passwords()
    results = await asyncio.gather(
        *(passwords.verify(None, "x" * 10) for _ in range(60)), return_exceptions=True
    )
    refused = [error for error in results if isinstance(error, AppError)]
    assert len(refused) == 60 - 32
    assert {error.code for error in refused} == {"too_many_requests"}
    assert not await passwords.verify(None, "afterwards it works again")
    passwords.close()


async def test_verify_takes_same_time_for_unknown_user(passwords: Passwords) -> None:
    stored = await passwords.hash("correct horse")
    await passwords.verify(None, "warm")

    async def median(hashed: str | None) -> float:
        times = []
        for _ in range(7):
            # CPU time, because other processes may keep all cores busy.
            start = time.process_time()
            await passwords.verify(hashed, "wrong password")
            times.append(time.process_time() - start)
        return statistics.median(times)

    known, unknown = await median(stored), await median(None)
    assert 0.5 < known / unknown < 2
