"""Archive bombs are stopped before or during extraction."""

import gzip
import io
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from quartet.downloads.archives import ExtractionLimits, extract
from quartet.kernel.errors import AppError
from quartet.kernel.files import Root
from tests.downloads.archives.make_archives import (
    archive_set_of,
    leftovers,
    seven_zip,
    tree,
    unpack,
)
from tests.downloads.archives.rar import File, rar5

MIB = 1 << 20


def zipped(files: dict[str, bytes]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as file:
        for name, data in files.items():
            file.writestr(name, data)
    return out.getvalue()


def stopped(root: Root, name: str, limits: ExtractionLimits, code: str = "archive_bomb") -> object:
    with pytest.raises(AppError) as caught:
        unpack(root, name, limits=limits)
    assert caught.value.code == code
    assert tree(root.path).keys() == {name}
    assert not leftovers(root.path)
    return caught.value.inputs.get("limit")


def test_bomb_is_detected_in_listing(root: Root) -> None:
    (root.path / "a.zip").write_bytes(zipped({"1": bytes(5 * MIB), "2": bytes(5 * MIB)}))
    assert stopped(root, "a.zip", ExtractionLimits(bytes=8 * MIB)) == "bytes"
    assert stopped(root, "a.zip", ExtractionLimits(file=4 * MIB)) == "file"
    assert stopped(root, "a.zip", ExtractionLimits(ratio=100, small=MIB)) == "ratio"
    assert stopped(root, "a.zip", ExtractionLimits(members=1)) == "members"
    unpack(root, "a.zip", limits=ExtractionLimits(ratio=100))  # too small for the ratio to matter


def test_bomb_is_detected_by_written_bytes(root: Root) -> None:
    (root.path / "a.gz").write_bytes(gzip.compress(bytes(20 * MIB)))
    assert stopped(root, "a.gz", ExtractionLimits(bytes=8 * MIB)) == "bytes"
    assert stopped(root, "a.gz", ExtractionLimits(file=8 * MIB)) == "file"
    assert stopped(root, "a.gz", ExtractionLimits(ratio=10, small=MIB)) == "ratio"


def test_archive_with_false_sizes_is_stopped(root: Root) -> None:
    data = bytearray(zipped({"a": bytes(20 * MIB)}))
    for marker, at in ((b"PK\x03\x04", 22), (b"PK\x01\x02", 24)):
        offset = data.index(marker) + at
        data[offset : offset + 4] = (5).to_bytes(4, "little")
    (root.path / "a.zip").write_bytes(data)
    with pytest.raises(AppError) as caught:
        unpack(root, "a.zip", limits=ExtractionLimits(bytes=MIB))
    assert caught.value.code in ("archive_bomb", "archive_damaged")
    assert tree(root.path).keys() == {"a.zip"}


@pytest.mark.nightly
def test_archive_with_a_million_entries_is_stopped(root: Root) -> None:
    nothing, one = rar5([]), rar5([File("0000000")])
    head, end = nothing[:-8], nothing[-8:]
    block = one.removeprefix(head).removesuffix(end)
    (root.path / "a.rar").write_bytes(head + block * 1_000_000 + end)
    assert stopped(root, "a.rar", ExtractionLimits(members=20_000)) == "members"


def test_nested_bombs_are_stopped(root: Root) -> None:
    data = zipped({"zeros": bytes(2 * MIB)})
    for _ in range(3):
        data = zipped({f"{n}.zip": data for n in range(4)})
    (root.path / "a.zip").write_bytes(data)
    assert stopped(root, "a.zip", ExtractionLimits(depth=2)) == "depth"
    assert stopped(root, "a.zip", ExtractionLimits(bytes=30 * MIB, depth=3)) == "bytes"
    assert stopped(root, "a.zip", ExtractionLimits(members=20, depth=3)) == "members"
    found = unpack(root, "a.zip", limits=ExtractionLimits(depth=0))
    assert len(found.files) == 4


def test_slow_extraction_times_out(root: Root) -> None:
    (root.path / "a.gz").write_bytes(gzip.compress(bytes(16 * MIB), 1) * 128)
    stopped(root, "a.gz", ExtractionLimits(seconds=0.3, ratio=10_000), "extraction_timed_out")


def test_extraction_that_needs_too_much_memory_is_stopped(root: Root) -> None:
    seven_zip(root.path, "a.7z", "-mx=1", "-m0=lzma:d64m", files={"a": bytes(64 * MIB)})
    stopped(root, "a.7z", ExtractionLimits(memory=60 * MIB), "archive_needs_memory")


def after(calls: int) -> Callable[[], bool]:
    left = iter(range(calls))
    return lambda: next(left, None) is None


@pytest.mark.parametrize("calls", [0, 1, 2, 3])
def test_extraction_can_be_cancelled_at_any_time(root: Root, calls: int) -> None:
    seven_zip(root.path, "a.7z", "-ppw", files={"a": b"a", "b": bytes(MIB)})
    archive = archive_set_of(root, "a.7z")
    with pytest.raises(AppError) as caught:
        extract(root, archive, "out", ["pw"], cancelled=after(calls))
    assert caught.value.code == "cancelled"
    assert tree(root.path).keys() == {"a.7z"}
    assert not running(root.path)


def running(folder: Path) -> list[str]:
    """Return processes whose working folder is below this one."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            where = str((process / "cwd").readlink())
        except OSError:
            continue
        if where.startswith(str(folder)):
            found.append(process.name)
    return found


def test_missing_space_is_reported_before_extraction(root: Root) -> None:
    size = 1 << 60
    (root.path / "a.rar").write_bytes(rar5([File("a", b"x", claimed=size)]))
    with pytest.raises(AppError) as caught:
        unpack(
            root, "a.rar", limits=ExtractionLimits(bytes=size * 2, file=size * 2, small=size * 2)
        )
    assert caught.value.code == "no_space"
    assert caught.value.inputs["needed"] == size
