"""How often tests repeat their work: `make nightly` sets the variable for the full numbers."""

import os

NIGHTLY = bool(os.environ.get("QUARTET_TEST_NIGHTLY"))
MOST_KILLS = 10


def kill_rounds(nightly: int) -> int:
    """Return how often a process is killed: at most 10 times, except in `make nightly`."""
    return nightly if NIGHTLY else min(nightly, MOST_KILLS)


def examples(nightly: int) -> int:
    """Return the number of generated examples: a tenth, except in `make nightly`."""
    return nightly if NIGHTLY else max(nightly // 10, 3)
