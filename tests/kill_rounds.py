"""How often the tests that kill a process repeat it."""

import os

NIGHTLY = bool(os.environ.get("QUARTET_TEST_NIGHTLY"))
ROUNDS = 10


def kill_rounds(nightly: int) -> int:
    """Return the number of rounds: `nightly` in `make nightly`, otherwise at most 10."""
    return nightly if NIGHTLY else min(nightly, ROUNDS)
