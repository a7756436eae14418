"""The engine alone, fetching what standard input lists; prints seconds and CPU seconds."""

import queue
import resource
import sys
import time
from pathlib import Path

from quartet.downloads.transfer import Engine, Finished, Job, Outcome, forget


def main(folder: str, connections: str, parallel: str, ca_file: str) -> None:
    urls = sys.stdin.read().split()
    outcomes: queue.SimpleQueue[Outcome] = queue.SimpleQueue()
    engine = Engine(outcomes.put, allow_private=True, ca_file=ca_file)
    before, began = cpu_seconds(), time.monotonic()

    def finish_one() -> None:
        outcome = outcomes.get()
        assert isinstance(outcome, Finished), outcome
        forget(Path(folder) / f"{outcome.id}.part")

    for number, url in enumerate(urls):
        if number >= int(parallel):
            finish_one()
        part = Path(folder) / f"{number}.part"
        engine.begin(Job(id=number, url=url, part=part, connections=int(connections)))
    for _ in urls[: int(parallel)]:
        finish_one()
    print(time.monotonic() - began, cpu_seconds() - before)
    engine.stop()


def cpu_seconds() -> float:
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


if __name__ == "__main__":
    main(*sys.argv[1:])
