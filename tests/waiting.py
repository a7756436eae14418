"""How long to pause between two looks at something that a test waits for."""

from collections.abc import Iterator

SHORTEST = 0.02
LONGEST = 0.25


def pauses() -> Iterator[float]:
    """Yield ever longer pauses, because each look costs time that the tested programs need."""
    pause = SHORTEST
    while True:
        yield pause
        pause = min(pause * 1.2, LONGEST)
