"""Wrong and malformed checksums."""

import hashlib
import zlib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quartet.downloads.transfer import (
    Checksum,
    is_checksum_list,
    parse_checksum_list,
    verify_checksum,
)
from quartet.downloads.transfer.hashes import check_hash
from quartet.kernel.errors import AppError
from tests.downloads.transfer.engine_bench import content

DATA = content(3_000_000)
RIGHT = {
    "md5": hashlib.md5(DATA).hexdigest(),
    "sha1": hashlib.sha1(DATA).hexdigest(),
    "sha256": hashlib.sha256(DATA).hexdigest(),
    "crc32": f"{zlib.crc32(DATA):08x}",
}


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "file.bin"
    path.write_bytes(DATA)
    return path


@pytest.mark.parametrize("kind", RIGHT)
def test_correct_file_passes(file: Path, kind: str) -> None:
    verify_checksum(file, kind, f" {RIGHT[kind].upper()} ")


@pytest.mark.parametrize("kind", RIGHT)
def test_wrong_file_fails(file: Path, kind: str) -> None:
    file.write_bytes(DATA[:-1])
    with pytest.raises(AppError) as caught:
        verify_checksum(file, kind, RIGHT[kind])
    assert (caught.value.code, caught.value.inputs) == ("hash_wrong", {"kind": kind})


@pytest.mark.parametrize(
    ("kind", "value", "code"),
    [
        ("md5", "abc", "hash_malformed"),
        ("md5", "z" * 32, "hash_malformed"),
        ("md5", "", "hash_malformed"),
        ("sha1", "a" * 64, "hash_malformed"),
        ("whirlpool", "a" * 128, "hash_unknown"),
    ],
)
def test_malformed_hash_is_rejected(kind: str, value: str, code: str) -> None:
    with pytest.raises(AppError) as caught:
        check_hash(kind, value)
    assert caught.value.code == code


def test_verification_can_be_cancelled(file: Path) -> None:
    with pytest.raises(AppError) as caught:
        verify_checksum(file, "md5", RIGHT["md5"], cancelled=lambda: True)
    assert caught.value.code == "cancelled"


def test_checksum_lists_are_parsed() -> None:
    sfv = "; made by hand\r\nmy file.rar 0A1b2C3d\r\nother.r00    ffffffff\r\n\r\nbroken line\r\n"
    assert parse_checksum_list("set.sfv", sfv.encode()) == [
        Checksum("my file.rar", "crc32", "0a1b2c3d"),
        Checksum("other.r00", "crc32", "ffffffff"),
    ]
    md5 = f"{'a' * 32}  one.bin\n{'b' * 32} *sub/two.bin\n# note\n".encode()
    assert parse_checksum_list("x.md5", md5) == [
        Checksum("one.bin", "md5", "a" * 32),
        Checksum("two.bin", "md5", "b" * 32),
    ]
    bsd = f"SHA256 (one (1).bin) = {'C' * 64}\n".encode()
    assert parse_checksum_list("x.sha256", bsd) == [Checksum("one (1).bin", "sha256", "c" * 64)]
    assert parse_checksum_list("one.bin.sha1", b"d" * 40) == [Checksum("one.bin", "sha1", "d" * 40)]
    # A hostile line of this length took days, in which the service stood still.
    assert parse_checksum_list("set.sfv", b"x" + b" " * 500_000 + b"x") == []
    assert (
        parse_checksum_list("x.sfv", b"\xef\xbb\xbfsch\xc3\xb6n.rar 00000000")[0].name
        == "schön.rar"
    )
    assert parse_checksum_list("x.sfv", b"sch\xf6n.rar 00000000")[0].name == "schön.rar"


def test_checksum_lists_are_recognised_by_name() -> None:
    assert is_checksum_list("A.SFV")
    assert is_checksum_list("a.tar.sha256")
    assert not is_checksum_list("a.rar")


@given(st.sampled_from(["a.sfv", "a.md5", "a.sha256"]), st.binary())
def test_checksum_list_never_contains_paths(name: str, data: bytes) -> None:
    for one in parse_checksum_list(name, data):
        assert not set(one.name) & set("/\\")
        assert one.name not in ("", ".", "..")
        assert check_hash(one.kind, one.value) == one.value
