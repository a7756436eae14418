"""Malicious archives."""

import gzip
import io
import struct
import tarfile
import warnings
import zipfile
import zlib
from collections.abc import Sequence
from pathlib import Path

import pytest

from quartet.downloads.archives import extract
from quartet.kernel.errors import AppError
from quartet.kernel.files import Root
from tests.downloads.archives.make_archives import (
    archive_set_of,
    leftovers,
    run,
    tree,
    unpack,
    write,
)
from tests.downloads.archives.rar import HARDLINK, SYMLINK, File, rar5


def make_zip(path: Path, members: Sequence[tuple[str | zipfile.ZipInfo, bytes]]) -> None:
    with warnings.catch_warnings(), zipfile.ZipFile(path, "w") as file:
        warnings.simplefilter("ignore")  # duplicate names are intended
        for name, data in members:
            file.writestr(name, data)


def make_tar(path: Path, members: Sequence[tuple[tarfile.TarInfo, bytes]]) -> None:
    with tarfile.open(path, "w") as file:
        for info, data in members:
            info.size = len(data)
            file.addfile(info, io.BytesIO(data))


def special(name: str, kind: bytes, points_to: str = "") -> tuple[tarfile.TarInfo, bytes]:
    info = tarfile.TarInfo(name)
    info.type, info.linkname = kind, points_to
    return info, b""


def refused(root: Root, name: str) -> object:
    """Assert that extraction fails without side effects; return the reason."""
    before = tree(root.path.parent)
    with pytest.raises(AppError) as caught:
        unpack(root, name)
    assert caught.value.code == "archive_unsafe"
    assert tree(root.path.parent) == before
    assert not leftovers(root.path)
    return caught.value.inputs["reason"]


ESCAPES = {
    "../evil.txt": "outside",
    "a/../../evil.txt": "outside",
    "..\\evil.txt": "outside",
    "/tmp/evil.txt": "absolute",
    "\\evil.txt": "absolute",
    "C:\\evil.txt": "absolute",
    "c:/evil.txt": "absolute",
    "\\\\host\\share\\evil.txt": "absolute",
}


@pytest.mark.parametrize("name", ESCAPES)
@pytest.mark.parametrize("kind", ["zip", "tar", "rar"])
def test_paths_outside_target_are_rejected(root: Root, kind: str, name: str) -> None:
    path = root.path / f"a.{kind}"
    if kind == "zip":
        make_zip(path, [("good.txt", b"good"), (name, b"evil")])
    elif kind == "tar":
        make_tar(path, [(tarfile.TarInfo(name), b"evil")])
    else:
        path.write_bytes(rar5([File("good.txt", b"good"), File(name, b"evil")]))
    assert refused(root, path.name) == ESCAPES[name]


def test_paths_outside_target_in_7z_are_rejected(root: Root) -> None:
    write(root.path, {"xx/evil.txt": b"evil"})
    run(root.path, "a", "-mx=0", "-mhc=off", "a.7z", "xx/evil.txt")
    path = root.path / "a.7z"
    path.write_bytes(renamed_in_7z(path.read_bytes(), "xx/evil.txt", "../evil.txt"))
    assert refused(root, "a.7z") == "outside"


def renamed_in_7z(data: bytes, old: str, new: str) -> bytes:
    """Replace a name with another one of the same length and fix the checksums."""
    data = data.replace(old.encode("utf-16-le"), new.encode("utf-16-le"))
    offset, size = struct.unpack_from("<QQ", data, 12)
    header = data[32 + offset : 32 + offset + size]
    start = struct.pack("<QQL", offset, size, zlib.crc32(header))
    return data[:8] + struct.pack("<L", zlib.crc32(start)) + start + data[32:]


def zip_link(name: str) -> zipfile.ZipInfo:
    link = zipfile.ZipInfo(name)
    link.create_system, link.external_attr = 3, 0o120777 << 16
    return link


ESCAPING_TARGETS = ["/etc", "..", "../x", "sub/../../x", "sub/..", "C:\\x", "..\\x", "a/\0"]


@pytest.mark.parametrize("target", ESCAPING_TARGETS)
def test_links_to_outside_are_skipped_and_reported(root: Root, target: str) -> None:
    make_zip(root.path / "a.zip", [(zip_link("link"), target.encode()), ("good.txt", b"good")])
    assert unpack(root, "a.zip").skipped_links == ("link",)
    assert tree(root.path / "out") == {"good.txt": b"good"}
    if "\0" not in target:
        links = [special("link", tarfile.SYMTYPE, target), (tarfile.TarInfo("b.txt"), b"b")]
        make_tar(root.path / "b.tar", links)
        assert unpack(root, "b.tar").skipped_links == ("link",)
    assert not any(path.is_symlink() for path in root.path.rglob("*"))


def test_nothing_is_written_through_links(root: Root) -> None:
    make_zip(root.path / "a.zip", [(zip_link("link"), b"/etc"), ("link/passwd", b"evil")])
    assert unpack(root, "a.zip").skipped_links == ("link",)
    links = [
        special("here", tarfile.SYMTYPE, "sub"),
        (tarfile.TarInfo("here/x"), b"evil"),
        special("hard", tarfile.LNKTYPE, "/etc/passwd"),
        special("up", tarfile.LNKTYPE, "../b.tar"),
    ]
    make_tar(root.path / "b.tar", links)
    assert set(unpack(root, "b.tar").skipped_links) >= {"hard", "up"}
    assert not any(path.is_symlink() for path in (root.path / "out").rglob("x"))
    assert not leftovers(root.path)


def test_links_inside_target_are_created(root: Root) -> None:
    members = [
        (tarfile.TarInfo("lib/real.so.1"), b"code"),
        special("lib/real.so", tarfile.SYMTYPE, "real.so.1"),
        special("bin/tool", tarfile.SYMTYPE, "../lib/real.so"),
        special("copy", tarfile.LNKTYPE, "lib/real.so.1"),
    ]
    make_tar(root.path / "a.tar", members)
    (root.path / "a.tar.gz").write_bytes(gzip.compress((root.path / "a.tar").read_bytes()))
    (root.path / "a.tar").unlink()
    for _ in range(2):  # extracting again changes nothing
        found = unpack(root, "a.tar.gz")
        assert (found.skipped_links, found.renamed) == ((), ())
        out = root.path / "out"
        assert (out / "bin/tool").readlink() == Path("../lib/real.so")
        assert (out / "bin/tool").read_bytes() == b"code"
        assert (out / "copy").stat().st_ino == (out / "lib/real.so.1").stat().st_ino
        assert sorted(path.name for path in out.rglob("*") if not path.is_dir()) == [
            *("copy", "real.so", "real.so.1", "tool")
        ]


@pytest.mark.parametrize("kind", [SYMLINK, HARDLINK])
def test_links_in_rar_are_created(root: Root, kind: int) -> None:
    data = rar5([File("a", b"a"), File("link", b"", kind, "a")])
    (root.path / "d.rar").write_bytes(data)
    assert unpack(root, "d.rar").skipped_links == ()
    assert (root.path / "out" / "link").read_bytes() == b"a"
    assert (root.path / "out" / "link").is_symlink() == (kind == SYMLINK)


def test_links_in_zip_are_created(root: Root) -> None:
    make_zip(root.path / "a.zip", [("a", b"a"), (zip_link("sub/link"), b"../a")])
    unpack(root, "a.zip")
    assert (root.path / "out" / "sub" / "link").readlink() == Path("../a")


def test_error_in_compressed_tar_names_the_archive(root: Root) -> None:
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz") as file:
        file.addfile(special("dev", tarfile.FIFOTYPE)[0])
    (root.path / "software.tar.gz").write_bytes(packed.getvalue())
    with pytest.raises(AppError) as caught:
        unpack(root, "software.tar.gz")
    assert caught.value.inputs["archive"] == "software.tar.gz"


@pytest.mark.parametrize("kind", [tarfile.FIFOTYPE, tarfile.CHRTYPE, tarfile.BLKTYPE])
def test_devices_are_rejected(root: Root, kind: bytes) -> None:
    make_tar(root.path / "a.tar", [special("dev", kind)])
    assert refused(root, "a.tar") == "device"


def test_links_in_target_are_not_followed(root: Root, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    write(outside, {"kept.txt": b"kept"})
    (root.path / "out").mkdir()
    (root.path / "out" / "kept.txt").symlink_to(outside / "kept.txt")
    make_zip(root.path / "a.zip", [("kept.txt", b"new")])
    unpack(root, "a.zip")
    assert (root.path / "out" / "kept (1).txt").read_bytes() == b"new"
    (root.path / "out" / "folder").symlink_to(outside)
    make_zip(root.path / "b.zip", [("folder/kept.txt", b"evil")])
    with pytest.raises(AppError) as caught:
        unpack(root, "b.zip")
    assert caught.value.code == "already_exists"
    (root.path / "away").symlink_to(outside)
    with pytest.raises(AppError) as caught:
        unpack_into(root, "away")
    assert caught.value.code == "path_outside_root"
    assert tree(outside) == {"kept.txt": b"kept"}


def unpack_into(root: Root, target: str) -> None:
    extract(root, archive_set_of(root, "a.zip"), target)


def test_name_that_is_file_and_folder_is_rejected(root: Root) -> None:
    make_zip(root.path / "a.zip", [("a", b"file"), ("a/b", b"inside")])
    assert refused(root, "a.zip") == "file_and_folder"


def test_invalid_names_are_changed(root: Root) -> None:
    long = "ß" * 140 + ".txt"
    names = [
        "a\nPath = evil\n\nPath = b.txt",
        "bell\x07.txt",
        "con.txt",
        "trailing. ",
        "what?.txt",
        "a\\b.txt",
        "Same.txt",
        "same.txt",
        ".quartet-unpack-1",
        ".hidden",
        f"sub/{long}",
        f"{'d' * 300}/{long}",
    ]
    make_zip(root.path / "a.zip", [(name, name.encode()) for name in names])
    found = unpack(root, "a.zip")
    unpacked = tree(root.path / "out")
    assert sorted(unpacked.values()) == sorted(name.encode() for name in names)
    assert set(found.files) == {f"out/{name}" for name in unpacked}
    for name in unpacked:
        assert all(len(part.encode()) <= 255 for part in name.split("/"))
        assert name.isprintable()
    assert len({name.casefold() for name in unpacked}) == len(unpacked)
    assert not leftovers(root.path)
    assert ".hidden" in unpacked


def test_two_members_with_same_name_are_both_kept(root: Root) -> None:
    make_zip(root.path / "a.zip", [("a.txt", b"first"), ("a.txt", b"second")])
    unpack(root, "a.zip")
    assert sorted(tree(root.path / "out").values()) == [b"first", b"second"]


def test_comment_cannot_imitate_listing(root: Root) -> None:
    path = root.path / "a.zip"
    make_zip(path, [("../evil.txt", b"evil")])
    with zipfile.ZipFile(path, "a") as file:
        file.comment = b"x\n}\n\n----------\nPath = good.txt\nSize = 1\nComment = \n{\n----------\n"
    assert refused(root, "a.zip") == "outside"


def test_permissions_are_normalised(root: Root) -> None:
    info = tarfile.TarInfo("run")
    info.mode = 0o6755
    locked = tarfile.TarInfo("locked")
    locked.type, locked.mode = tarfile.DIRTYPE, 0
    make_tar(root.path / "a.tar", [(locked, b""), (info, b"#!")])
    unpack(root, "a.tar")
    assert (root.path / "out/run").stat().st_mode & 0o7777 == 0o755
    assert (root.path / "out/locked").stat().st_mode & 0o700 == 0o700
