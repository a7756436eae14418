"""Let a device rename, delete and encrypt 20,000 files: how many pass before the hub holds it.

Before that, the device moves all folders into another one and back, which the guard must let pass.
A file that passed and was restored has another inode, so the files on the hub and on the other
device are compared by inode. It runs with the installed Syncthing and with each one in the folder
that `QUARTET_TEST_ENGINES` names.
"""

import os
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from tests.sync.engines import other_engines
from tests.sync.processes import until
from tests.sync.test_guard_engines import Fleet, fleet

from bench.report import Result, show

FILES = 20_000
# Syncthing lists the whole directory again for each file that it changes on a device.
PER_FOLDER = 200
PASSED_BAR = 10
MOST_SECONDS = 1200.0


def run(files: int = FILES) -> list[Result]:
    return [result for engine in (None, *other_engines()) for result in measure(engine, files)]


def measure(engine: Path | None, files: int) -> Iterator[Result]:
    with tempfile.TemporaryDirectory() as name, first_on_path(engine, Path(name)):
        folder = Path(name) / "fleet"
        folder.mkdir()
        with fleet(folder, files, MOST_SECONDS, PER_FOLDER) as now:
            yield moved(now, files)
            yield attacked(now, "laptop", rename, (now.hub, now.tower))
            undo(now)
            yield attacked(now, "laptop", delete_most, (now.hub, now.tower))
            # The laptop is held now, so it receives nothing.
            yield attacked(now, "tower", encrypt, (now.hub,))


def moved(now: Fleet, files: int) -> Result:
    """Move all folders into another one and back; return how many times the guard held that."""
    held, started = 0, time.monotonic()
    albums = sorted({path.parent.name for path in pictures(now.laptop)})
    for source, target in (("", "albums"), ("albums", "")):
        (now.laptop / target).mkdir(exist_ok=True)
        for album in albums:
            (now.laptop / source / album).rename(now.laptop / target / album)
        until(
            lambda target=target: (
                now.held()
                or all(are_at(place, target, albums, files) for place in (now.hub, now.tower))
            ),
            MOST_SECONDS,
        )
        held += now.held() is not None
    version = now.app.device("laptop")["engineVersion"]
    print(
        f"{version}, moved twice: {files:,} files, {time.monotonic() - started:.1f} s", flush=True
    )
    return Result(f"sync: moves of all files that the guard holds ({version})", held, 0, "moves")


def are_at(place: Path, target: str, albums: list[str], files: int) -> bool:
    """Return True if all files are there, and nowhere else."""
    found = inodes(place).keys()
    expected = {f"{Path(target) / album}" for album in albums}
    return len(found) == files and {os.path.dirname(each) for each in found} == expected  # noqa: PTH120


def undo(now: Fleet) -> None:
    """Undo what the laptop did, and wait until all of its files are back."""
    before = inodes(now.hub).keys()
    started = time.monotonic()
    answer = now.app.api.post(f"{now.url}/undo", timeout=MOST_SECONDS)
    assert answer.is_success, answer.text
    until(lambda: inodes(now.laptop).keys() == before and not now.held(), MOST_SECONDS)
    print(f"undone after {time.monotonic() - started:.1f} s", flush=True)


def attacked(
    now: Fleet, device: str, attack: Callable[[Path], int], others: tuple[Path, ...]
) -> Result:
    """Return how many files changed on the hub or on another device."""
    before = [inodes(place) for place in others]
    started = time.monotonic()
    changed = attack({"laptop": now.laptop, "tower": now.tower}[device])
    url = f"/api/folders/{now.folder}/devices/{now.app.device(device)['id']}/held"
    until(lambda: now.app.api.get(url).is_success, MOST_SECONDS)
    seconds = time.monotonic() - started
    for place, known in zip(others, before, strict=True):
        # The hub restores the files that passed.
        until(lambda place=place, known=known: inodes(place).keys() == known.keys(), MOST_SECONDS)
    passed = [
        len(set(known.items()) - set(inodes(place).items()))
        for place, known in zip(others, before, strict=True)
    ]
    version, what = now.app.device(device)["engineVersion"], attack.__name__.replace("_", " ")
    print(
        f"{version}, {what}: {changed:,} files, held after {seconds:.1f} s; passed on the hub and"
        f" the other device: {passed}, reported: {len(now.app.get(url)['passed'])}",
        flush=True,
    )
    claim = f"sync: files that pass the guard ({what}, {version})"
    return Result(claim, max(passed), PASSED_BAR, "files")


def delete_most(place: Path) -> int:
    chosen = pictures(place)
    chosen = chosen[: len(chosen) * 9 // 10]
    for path in chosen:
        path.unlink()
    return len(chosen)


def encrypt(place: Path) -> int:
    chosen = pictures(place)
    for path in chosen:
        path.write_bytes(os.urandom(64))
    return len(chosen)


def rename(place: Path) -> int:
    """Rename all files, as malware does with what it encrypted."""
    chosen = pictures(place)
    for path in chosen:
        path.rename(path.with_suffix(".jpg.locked"))
    return len(chosen)


def pictures(place: Path) -> list[Path]:
    return [place / each for each in sorted(inodes(place))]


def inodes(place: Path) -> dict[str, int]:
    """Return the inode of each picture by its path."""
    found = {}
    for parent, folders, names in os.walk(place):
        # What Syncthing stores for itself, for example old versions.
        folders[:] = [each for each in folders if not each.startswith(".")]
        for name in names:
            path = Path(parent) / name
            # A file may disappear at any time.
            if name.endswith(".jpg") and not name.startswith("."):
                with suppress(FileNotFoundError):
                    found[f"{path.relative_to(place)}"] = path.stat().st_ino
    return found


@contextmanager
def first_on_path(engine: Path | None, folder: Path) -> Iterator[None]:
    """Let servers and agents use this engine."""
    before = os.environ["PATH"]
    if engine is not None:
        (folder / "syncthing").symlink_to(engine)
        os.environ["PATH"] = f"{folder}{os.pathsep}{before}"
    try:
        yield
    finally:
        os.environ["PATH"] = before


if __name__ == "__main__":
    show(run(int(sys.argv[1]) if len(sys.argv) > 1 else FILES))
