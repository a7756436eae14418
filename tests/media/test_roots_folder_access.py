"""Path encoding, and access to configured folders."""

import os

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from quartet.kernel.errors import AppError
from quartet.media.roots.folder_access import FolderAccess
from quartet.media.roots.path_encoding import decode_path, encode_path
from quartet.media.roots.types import Folder


def folder(path: str, *, mounted: bool = False) -> Folder:
    return Folder(1, path, "name", "folder", False, mounted)


ACCESS = FolderAccess([folder("/data"), folder("/data/films"), folder("/media/x")])


@given(st.binary())
def test_every_path_survives_encoding(raw: bytes) -> None:
    path = os.fsdecode(raw)
    text = encode_path(path)
    assert decode_path(msgspec.json.decode(msgspec.json.encode(text))) == path
    assert os.fsencode(decode_path(text)) == raw


@given(st.text(alphabet=st.characters(exclude_categories=["Cs"])))
def test_ordinary_names_are_unchanged(name: str) -> None:
    if "\ufffd" not in name:
        assert encode_path(name) == name
        assert decode_path(name) == name


@given(st.text(alphabet="\ufffdE9aé8"))
def test_invalid_encoded_text_is_refused(text: str) -> None:
    try:
        path = decode_path(text)
    except AppError as error:
        assert error.code == "path_invalid"
    else:
        assert decode_path(encode_path(path)) == path


@pytest.mark.parametrize(
    ("path", "root", "parts"),
    [
        ("/data/a", "/data", ("a",)),
        ("/data/films/a/b", "/data/films", ("a", "b")),
        ("/data/filmsx", "/data", ("filmsx",)),
        ("//data/./a/", "/data", ("a",)),
        ("/media/x", "/media/x", ()),
    ],
)
def test_innermost_folder_wins(path: str, root: str, parts: tuple[str, ...]) -> None:
    location = ACCESS.resolve(path)
    assert (str(location.root.path), location.parts) == (root, parts)


@given(st.lists(st.sampled_from(["..", ".", "data", "films", "etc", "", "x"])))
def test_no_path_leads_outside(parts: list[str]) -> None:
    path = "/" + "/".join(parts)
    if ACCESS.contains(path):
        found = os.path.normpath(ACCESS.resolve(path).path)
        assert found.startswith(("/data", "/media/x")) and ".." not in path.split("/")


@pytest.mark.parametrize("path", ["", "data/a", "/", "/media", "/data/../etc", "/dat", "/data/a\0"])
def test_paths_outside(path: str) -> None:
    assert not ACCESS.contains(path)


def test_unmounted_disk_is_refused(tmp_path: os.PathLike[str]) -> None:
    access = FolderAccess([folder(str(tmp_path), mounted=True), folder("/proc", mounted=True)])
    with pytest.raises(AppError, match="folder_not_mounted"):
        access.require_present(access.resolve(str(tmp_path)).root)
    access.require_present(access.resolve("/proc").root)
