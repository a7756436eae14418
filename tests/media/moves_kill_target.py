"""Executes and undoes a plan repeatedly until it is killed."""

import os
import sys
from collections.abc import Iterable
from pathlib import Path

from quartet.media.moves.types import OnConflict, Plan, Step
from tests.media.move_sandbox import MoveSandbox

FILES = range(40)
COPY_SIZE = 300_000


def content(number: int) -> bytes:
    return f"file {number} ".encode() * (COPY_SIZE // 10 if number % 3 == 1 else 1)


def plan(sandbox: MoveSandbox, numbers: Iterable[int] = FILES) -> Plan:
    """Return a plan with renames, copies to the other disk, overwrites on both and a cycle."""
    steps = []
    for number in numbers:
        source = sandbox.downloads / f"r{number}" / f"{number}.mkv"
        top = sandbox.far if number % 3 == 1 else sandbox.library
        policy: OnConflict = "overwrite" if number % 2 else "skip"
        target = top / f"s{number % 5}" / f"{number}.mkv"
        steps.append(Step(str(source), str(target), number, on_conflict=policy))
    ring = [str(sandbox.library / f"ring{number}.mkv") for number in range(3)]
    steps += [Step(ring[number], ring[(number + 1) % 3], 100 + number) for number in range(3)]
    return Plan(tuple(steps), job_id=1)


def prepare(sandbox: MoveSandbox, numbers: Iterable[int] = FILES) -> None:
    for number in numbers:
        folder = sandbox.downloads / f"r{number}"
        folder.mkdir()
        (folder / f"{number}.mkv").write_bytes(content(number))
        (folder / "Thumbs.db").write_bytes(f"junk {number}".encode())
        if number % 2:
            top = sandbox.far if number % 3 == 1 else sandbox.library
            (top / f"s{number % 5}").mkdir(exist_ok=True)
            (top / f"s{number % 5}" / f"{number}.mkv").write_bytes(f"old {number}".encode())
    for number in range(3):
        (sandbox.library / f"ring{number}.mkv").write_bytes(f"ring {number}".encode())


def work(base: str, far: str) -> None:
    sandbox = MoveSandbox(Path(base), Path(far))
    print(os.getpid(), flush=True)  # noqa: T201
    while True:
        sandbox.run(*plan(sandbox).steps, job_id=1)
        sandbox.undo()


def main() -> None:
    """Fork a worker for each input line and report when it has been killed."""
    for _ in sys.stdin:
        pid = os.fork()
        if pid == 0:
            work(*sys.argv[1:])
        os.waitpid(pid, 0)
        print("killed", flush=True)  # noqa: T201


if __name__ == "__main__":
    main()
