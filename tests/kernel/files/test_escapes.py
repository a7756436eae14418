"""Names, links and races cannot create, read or delete anything outside the root."""

import os
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.rounds import examples

from quartet.kernel.errors import AppError
from quartet.kernel.files import Root, move, syscalls, write_atomic

pytestmark = pytest.mark.usefixtures("opening_by")

CANARY = b"canary: nobody may read this"

Operation = Callable[[Root, str, str], bytes | None]


def read(root: Root, path: str) -> bytes:
    with root.open(path) as file:
        return file.read()


def create(root: Root, path: str, _: str) -> None:
    with root.create(path) as file:
        file.write(b"mine")


def update(root: Root, path: str, _: str) -> bytes:
    with root.update(path) as file:
        data = file.read()
        file.write(b"changed")
        return data


def listing(root: Root, path: str) -> bytes:
    return b"".join(os.fsencode(entry.name) for entry in root.list(path))


# Flag of renameat2 that exchanges two names atomically.
RENAME_EXCHANGE = 2

OPERATIONS: dict[str, Operation] = {
    "open": lambda root, a, b: read(root, a),
    "list": lambda root, a, b: listing(root, a),
    "create": create,
    "update": update,
    "write": lambda root, a, b: write_atomic(root, a, b"mine"),
    "folder": lambda root, a, b: root.make_folder(a),
    "stat": lambda root, a, b: str(root.stat(a)).encode(),
    "remove": lambda root, a, b: root.remove(a),
    "remove_folder": lambda root, a, b: root.remove_folder(a),
    "remove_tree": lambda root, a, b: root.remove_tree(a),
    "rename": lambda root, a, b: root.rename(a, b),
    "move": lambda root, a, b: move(root, a, b),
}

LIKELY = ["a", "b", "up", "out", "sly", "abs", "loop", "canary", "file", "outside"]
HOSTILE = ["..", ".", "", "\\..", "C:", "a\0b", "x" * 256, "é", "~", "...", "\ud800", "*"]
PATHS = st.one_of(
    st.lists(st.sampled_from(LIKELY), min_size=1, max_size=3).map("/".join),
    st.lists(st.sampled_from(LIKELY + HOSTILE), max_size=5).map("/".join),
    st.text(st.characters(exclude_categories=()), max_size=12),
)
STEPS = st.lists(st.tuples(st.sampled_from(sorted(OPERATIONS)), PATHS, PATHS), max_size=25)


def snapshot(folder: Path) -> list[tuple[str, int, int, int, bytes]]:
    found = []
    for path in sorted([folder, *folder.rglob("*")]):
        seen = path.lstat()
        data = path.read_bytes() if path.is_file() else b""
        found.append((str(path), seen.st_ino, seen.st_mtime_ns, seen.st_nlink, data))
    return found


@contextmanager
def playground() -> Iterator[tuple[Root, Path]]:
    with tempfile.TemporaryDirectory() as name:
        top, outside, inside = Path(name), Path(name, "outside"), Path(name, "root")
        (outside / "a").mkdir(parents=True)
        (outside / "canary").write_bytes(CANARY)
        (outside / "a/canary").write_bytes(CANARY)
        (inside / "a/b").mkdir(parents=True)
        (inside / "a/file").write_bytes(b"inside")
        for folder in (inside, inside / "a"):
            (folder / "up").symlink_to("..")
            (folder / "out").symlink_to(outside)
            (folder / "sly").symlink_to("b/../../../outside")
            (folder / "abs").symlink_to(outside / "canary")
            (folder / "loop").symlink_to("loop")
        yield Root(inside), top / "outside"


@settings(max_examples=examples(150), deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(STEPS)
def test_no_sequence_of_operations_leaves_root(steps: list[tuple[str, str, str]]) -> None:
    with playground() as (root, outside):
        before = snapshot(outside)
        for name, path, other in steps:
            with suppress(AppError):
                assert CANARY not in (OPERATIONS[name](root, path, other) or b"")
        assert snapshot(outside) == before
        assert {path.name for path in outside.parent.iterdir()} == {"outside", "root"}


@contextmanager
def swapping(root: Root, outside: Path, path: str) -> Iterator[None]:
    """Run a thread that repeatedly exchanges a folder with a link to the outside."""
    folder, trap = root.path / path, root.path / "trap"
    trap.symlink_to(outside)
    stop, ready = threading.Event(), threading.Event()

    def swap() -> None:
        while not stop.is_set():
            with suppress(OSError):
                syscalls.renameat2(-100, str(folder), -100, str(trap), RENAME_EXCHANGE)
            ready.set()

    thread = threading.Thread(target=swap)
    thread.start()
    try:
        assert ready.wait(60)
        yield
    finally:
        stop.set()
        thread.join()


@pytest.mark.parametrize("name", sorted(OPERATIONS))
def test_folder_replaced_by_link_cannot_be_used_to_leave_root(name: str) -> None:
    with playground() as (root, outside):
        before = snapshot(outside)
        with swapping(root, outside, "a"):
            for _ in range(150):
                with suppress(AppError):
                    assert CANARY not in (OPERATIONS[name](root, "a/canary", "a/b/new") or b"")
                with suppress(AppError):
                    create(root, "a/canary", "")
        assert snapshot(outside) == before


def test_remove_tree_does_not_follow_folder_replaced_by_link() -> None:
    with playground() as (root, outside):
        before = snapshot(outside)
        root.make_folder("tree/spot")
        with swapping(root, outside, "tree/spot"):
            for number in range(150):
                with suppress(AppError):
                    root.make_folder("tree/spot")
                    create(root, f"tree/spot/canary{number}", "")
                with suppress(AppError):
                    root.remove_tree("tree")
        assert snapshot(outside) == before


def test_move_does_not_follow_folder_replaced_by_link(other_disk: Root) -> None:
    with playground() as (root, outside):
        before = snapshot(outside)
        root.make_folder("tree/spot")
        with swapping(root, outside, "tree/spot"):
            for number in range(60):
                with suppress(AppError):
                    root.make_folder("tree/spot")
                with suppress(AppError):
                    move(root, "tree", f"moved{number}", to=other_disk)
        assert snapshot(outside) == before
        for path in other_disk.path.rglob("*"):
            assert path.is_symlink() or not path.is_file()
