import bz2
import gzip
import io
import lzma
import tarfile
import zipfile
from pathlib import Path

import pytest

from quartet.downloads.archives import ExtractionLimits, are_pieces, extract
from quartet.downloads.archives.staging import Staging
from quartet.kernel.errors import AppError
from quartet.kernel.files import Root
from tests.downloads.archives.make_archives import (
    FILES,
    archive_set_of,
    archive_sets,
    leftovers,
    run,
    seven_zip,
    tree,
    unpack,
    write,
)
from tests.downloads.archives.rar import File, rar4_volumes, rar5, rar5_volumes
from tests.downloads.archives.spanned_zip import spanned_zip

RAR_FILES = [File(name, data) for name, data in FILES.items()]


def tar_bytes() -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as tar:
        for name, data in FILES.items():
            info = tarfile.TarInfo(name)
            info.size = len(data)
            tar.addfile(info, io.BytesIO(data))
    return out.getvalue()


@pytest.mark.parametrize("name", ["a.zip", "a.7z", "a.tar", "A.ZIP", "-a @b.zip", "ä 'x\".7z"])
def test_single_file_archives(root: Root, name: str) -> None:
    kind = name.rsplit(".")[-1].lower()
    seven_zip(root.path, "made", f"-t{kind}")
    made = next(root.path.glob("made*"))
    made.rename(root.path / name)
    found = unpack(root, name)
    assert tree(root.path / "out") == FILES
    assert set(found.files) == {f"out/{file}" for file in FILES}
    assert found.bytes == sum(map(len, FILES.values()))
    assert found.password_used is None
    assert not leftovers(root.path)


@pytest.mark.parametrize("kind", ["7z", "zip"])
def test_numbered_volumes(root: Root, kind: str) -> None:
    seven_zip(root.path, f"a.{kind}", "-v20k")
    assert len(archive_set_of(root, f"a.{kind}.002").parts) > 3
    unpack(root, f"a.{kind}.003")
    assert tree(root.path / "out") == FILES


RAR_SCHEMES = {
    "a.part{n}.rar": rar5_volumes(RAR_FILES, 9_000),
    "b.part{n:02}.rar": rar5_volumes(RAR_FILES, 9_000),
    "c.rar.{n:03}": rar5_volumes(RAR_FILES, 9_000),
    "old": rar4_volumes(RAR_FILES, 9_000),
    "old names, new format": rar5_volumes(RAR_FILES, 9_000),
    "d.part{n}.rar": rar4_volumes(RAR_FILES, 9_000, new_names=True),
    "MiXed.pArT{n}.RaR": rar5_volumes(RAR_FILES, 9_000),
}


@pytest.mark.parametrize("scheme", RAR_SCHEMES)
def test_rar_volumes_of_all_naming_schemes(root: Root, scheme: str) -> None:
    volumes = RAR_SCHEMES[scheme]
    for number, data in enumerate(volumes, 1):
        old = "o.rar" if number == 1 else f"o.r{number - 2:02}"
        name = old if scheme.startswith("old") else scheme.format(n=number)
        (root.path / name).write_bytes(data)
    (found,) = archive_sets(root)
    assert len(found.parts) == len(volumes) > 9
    extract(root, found, "out")
    assert tree(root.path / "out") == FILES


def test_rar_file_cut_into_pieces(root: Root) -> None:
    whole = rar5(RAR_FILES)
    for number in range(3):
        piece = whole[number * 40_000 : (number + 1) * 40_000]
        (root.path / f"a.rar.{number + 1:03}").write_bytes(piece)
    unpack(root, "a.rar.001")
    assert tree(root.path / "out") == FILES


def test_spanned_zip(root: Root) -> None:
    for name, data in spanned_zip("a", FILES, 25_000).items():
        (root.path / name).write_bytes(data)
    unpack(root, "a.z02")
    assert tree(root.path / "out") == FILES


PACKED_TARS = {
    "tar.gz": gzip.compress(tar_bytes(), mtime=0),
    "tgz": gzip.compress(tar_bytes(), mtime=0),
    "tar.bz2": bz2.compress(tar_bytes()),
    "TBZ2": bz2.compress(tar_bytes()),
    "tar.xz": lzma.compress(tar_bytes()),
    "txz": lzma.compress(tar_bytes()),
    "tar.lzma": lzma.compress(tar_bytes(), lzma.FORMAT_ALONE),
}


@pytest.mark.parametrize("ending", PACKED_TARS)
def test_compressed_tar(root: Root, ending: str) -> None:
    (root.path / f"a.{ending}").write_bytes(PACKED_TARS[ending])
    unpack(root, f"a.{ending}")
    assert tree(root.path / "out") == FILES


NAMES_WITHOUT_CHARSET = {
    # What Windows writes there, of which the second byte of one character is a backslash.
    "cp932": ["写真/表示.txt", "写真/ラピュタ.avi"],
    "gb18030": ["照片/使用说明.txt", "照片/北京.jpg"],
    "cp949": ["사진/설명서.txt", "사진/기생충.mkv"],
    "cp437": ["Größe/Müller.txt", "Größe/Café.mp3"],
}


@pytest.mark.parametrize("charset", NAMES_WITHOUT_CHARSET)
def test_names_in_zip_without_character_set(root: Root, charset: str) -> None:
    names = NAMES_WITHOUT_CHARSET[charset]
    (root.path / "a.zip").write_bytes(zip_with_raw_names([name.encode(charset) for name in names]))
    found = unpack(root, "a.zip")
    assert tree(root.path / "out") == {name: b"x" for name in names}
    # They did not get other names, only the right ones.
    assert found.renamed == ()


def zip_with_raw_names(names: list[bytes]) -> bytes:
    """Return a zip file that does not say what its names are; zipfile only writes UTF-8."""
    packed = io.BytesIO()
    stand_ins = [f"{number}" * len(name) for number, name in enumerate(names)]
    with zipfile.ZipFile(packed, "w") as file:
        for stand_in in stand_ins:
            file.writestr(stand_in, b"x")
    data = packed.getvalue()
    for stand_in, name in zip(stand_ins, names, strict=True):
        data = data.replace(stand_in.encode(), name)
    return data


def test_compressed_single_file_is_named_after_archive(root: Root) -> None:
    packed = io.BytesIO()
    with gzip.GzipFile("../../evil", "wb", fileobj=packed) as file:
        file.write(b"1,2\n")
    (root.path / "report.csv.gz").write_bytes(packed.getvalue())
    unpack(root, "report.csv.gz")
    assert tree(root.path / "out") == {"report.csv": b"1,2\n"}


def test_zstd(root: Root) -> None:
    # Eight bytes of content in one raw block: magic, header (single segment), size, block, data.
    frame = b"\x28\xb5\x2f\xfd\x20\x08" + (8 << 3 | 1).to_bytes(3, "little") + b"contents"
    (root.path / "a.txt.zst").write_bytes(frame)
    unpack(root, "a.txt.zst")
    assert tree(root.path / "out") == {"a.txt": b"contents"}


def test_archive_with_wrong_extension_is_extracted(root: Root) -> None:
    (root.path / "a.zip").write_bytes(rar5(RAR_FILES))
    unpack(root, "a.zip")
    assert tree(root.path / "out") == FILES


NESTED = ExtractionLimits(depth=3)


def test_inner_archives_stay_packed_by_default(root: Root) -> None:
    roms = {f"roms/{name}.zip": zipped_rom(name) for name in ("pacman", "galaga")}
    seven_zip(root.path, "a.zip", files=roms)
    unpack(root, "a.zip")
    assert tree(root.path / "out") == roms


def test_inner_archives_get_their_own_folders(root: Root) -> None:
    roms = {f"roms/{name}.zip": zipped_rom(name) for name in ("pacman", "galaga")}
    seven_zip(root.path, "a.zip", files=roms)
    found = unpack(root, "a.zip", limits=NESTED)
    inside = {f"roms/{name}/rom1.bin": name.encode() for name in ("pacman", "galaga")}
    assert tree(root.path / "out") == {**roms, **inside}
    assert found.renamed == ()


def zipped_rom(name: str) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as file:
        file.writestr("rom1.bin", name)
    return packed.getvalue()


def test_inner_archives_are_removed_with_their_volumes_if_wanted(
    root: Root, tmp_path: Path
) -> None:
    write(tmp_path, {"inner.rar": rar5([File("deep.txt", b"deep")])})
    seven_zip(tmp_path, "middle.7z", files={"x/inner.rar": (tmp_path / "inner.rar").read_bytes()})
    files = {"sub/middle.7z": (tmp_path / "middle.7z").read_bytes(), "note.txt": b"n"}
    seven_zip(root.path, "a.zip", files=files)
    found = extract(root, archive_set_of(root, "a.zip"), "out", (), NESTED, remove_inner=True)
    deep = "sub/middle/x/inner/deep.txt"
    assert tree(root.path / "out") == {deep: b"deep", "note.txt": b"n"}
    assert set(found.files) == {f"out/{deep}", "out/note.txt"}


def test_inner_archive_that_cannot_be_opened_is_kept(root: Root, tmp_path: Path) -> None:
    seven_zip(tmp_path, "secret.zip", "-pnobody knows")
    files = {"d/secret.zip": (tmp_path / "secret.zip").read_bytes(), "d/bad.rar": b"no archive"}
    seven_zip(root.path, "a.7z", files=files)
    unpack(root, "a.7z", "other", limits=NESTED)
    assert tree(root.path / "out") == files


def test_progress_increases_to_100(root: Root) -> None:
    seven_zip(root.path, "a.7z")
    seen: list[int] = []
    extract(root, archive_set_of(root, "a.7z"), "out", progress=seen.append)
    assert seen == sorted(set(seen))
    assert seen[-1] == 100


@pytest.mark.parametrize(
    ("name", "data", "code"),
    [
        ("a.zip", b"nothing of the kind", "not_an_archive"),
        ("a.rar", b"", "not_an_archive"),
        ("a.gz", b"PK\3\4", "not_an_archive"),
        ("a.7z", b"\x7fELF" + bytes(60), "not_an_archive"),
        ("a.rar", rar5(RAR_FILES)[:50_000], "archive_damaged"),
        ("a.rar", rar5(RAR_FILES).replace(b"hello", b"hallo"), "archive_damaged"),
        ("a.tar.gz", gzip.compress(tar_bytes(), mtime=0)[:5_000], "archive_damaged"),
        ("a.tgz", gzip.compress(b"not a tar", mtime=0), "not_an_archive"),
    ],
)
def test_broken_archive_reports_error_code(root: Root, name: str, data: bytes, code: str) -> None:
    (root.path / name).write_bytes(data)
    with pytest.raises(AppError) as caught:
        unpack(root, name)
    assert caught.value.code == code
    assert tree(root.path).keys() == {name}
    assert not leftovers(root.path)


def test_file_system_without_symlinks_uses_original_names(
    root: Root, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(self: Path, target: Path) -> None:
        raise PermissionError

    seven_zip(root.path, "a.7z", "-v20k")
    monkeypatch.setattr(Path, "symlink_to", refuse)
    unpack(root, "a.7z.001")
    assert tree(root.path / "out") == FILES


def test_staging_folder_is_private(root: Root) -> None:
    staging = Staging(root, ())
    assert staging.path(staging.parts).stat().st_mode & 0o077 == 0
    staging.discard()
    assert not leftovers(root.path)


def test_seven_zip_accepts_files_of_test_writer(root: Root) -> None:
    (root.path / "a.rar").write_bytes(rar5(RAR_FILES))
    run(root.path, "t", "a.rar")


def test_pieces_of_a_file_are_joined(root: Root) -> None:
    data = bytes(range(256)) * 1000
    pieces = {f"film.mkv.{at + 1:03}": data[at * 90_000 :][:90_000] for at in range(3)}
    write(root.path, pieces)
    [found] = archive_sets(root)
    assert (found.scheme, found.parts) == ("raw", tuple(pieces))
    assert are_pieces(root, found)
    unpack(root, "film.mkv.001")
    assert tree(root.path / "out") == {"film.mkv": data}
    (root.path / "film.mkv.002").write_bytes(b"shorter")
    assert not are_pieces(root, found)


def test_self_extracting_archive(root: Root) -> None:
    seven_zip(root.path, "a.7z")
    program = b"\x7fELF" + bytes(5000)
    (root.path / "a.sfx").write_bytes(program + (root.path / "a.7z").read_bytes())
    (root.path / "a.7z").unlink()
    unpack(root, "a.sfx")
    assert tree(root.path / "out") == FILES
