"""Passes jobs to an engine and waits for their outcomes."""

import queue
import random
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from quartet.downloads.transfer import (
    Engine,
    Failed,
    Finished,
    Job,
    Outcome,
    Paused,
    Snapshot,
    Timeouts,
)

SECONDS = 60.0
# Few and quick retries, but enough time for a server on a busy machine.
QUICK = Timeouts(connect=20, answer=20, window=20, retries=2, first_delay=0.02)


def content(size: int, seed: int = 7) -> bytes:
    return random.Random(seed).randbytes(size)


class EngineBench:
    def __init__(
        self, folder: Path, *, allow_private: bool | Iterable[str] = True, **options: Any
    ) -> None:
        self.folder = folder
        self.outcomes: queue.SimpleQueue[Outcome] = queue.SimpleQueue()
        options.setdefault("reserve", 0)
        self.engine = Engine(self.outcomes.put, allow_private=allow_private, **options)

    def job(self, url: str, id: int = 1, **options: Any) -> Job:
        options.setdefault("timeouts", QUICK)
        options.setdefault("min_segment", 64 * 1024)
        return Job(id=id, url=url, part=self.part(id), **options)

    def part(self, id: int = 1) -> Path:
        return self.folder / f"{id}.part"

    def state(self, id: int = 1) -> Path:
        return self.folder / f"{id}.part.state"

    def begin(self, url: str, id: int = 1, **options: Any) -> None:
        self.engine.begin(self.job(url, id, **options))

    def wait(self) -> Outcome:
        return self.outcomes.get(timeout=SECONDS)

    def fetch(self, url: str, id: int = 1, **options: Any) -> Outcome:
        self.begin(url, id, **options)
        return self.wait()

    def finished(self, url: str, id: int = 1, **options: Any) -> bytes:
        outcome = self.fetch(url, id, **options)
        assert isinstance(outcome, Finished), outcome
        data = self.part(id).read_bytes()
        assert outcome.size == len(data)
        return data

    def failed(self, url: str, id: int = 1, **options: Any) -> Failed:
        outcome = self.fetch(url, id, **options)
        assert isinstance(outcome, Failed), outcome
        return outcome

    def when(self, true: Callable[[Snapshot], bool]) -> Snapshot:
        """Wait for a snapshot that meets the condition."""
        deadline = time.monotonic() + SECONDS
        while time.monotonic() < deadline:
            for snapshot in self.engine.snapshots():
                if true(snapshot):
                    return snapshot
            time.sleep(0.005)
        raise AssertionError("the condition was never met")

    def pause(self, id: int = 1) -> None:
        """Pause a download that is too slow to finish before."""
        self.engine.pause(id)
        assert self.wait() == Paused(id)
