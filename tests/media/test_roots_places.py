"""Paths as text, and which of them are inside."""

import os

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from quartet.kernel.errors import AppError
from quartet.media.roots.places import Places
from quartet.media.roots.texts import path_of, path_text
from quartet.media.roots.types import Folder


def folder(path: str, *, mounted: bool = False) -> Folder:
    return Folder(1, path, "name", "folder", False, mounted)


PLACES = Places([folder("/data"), folder("/data/films"), folder("/media/x")])


@given(st.binary())
def test_every_path_survives_as_text(raw: bytes) -> None:
    path = os.fsdecode(raw)
    text = path_text(path)
    assert path_of(msgspec.json.decode(msgspec.json.encode(text))) == path
    assert os.fsencode(path_of(text)) == raw


@given(st.text(alphabet=st.characters(exclude_categories=["Cs"])))
def test_ordinary_names_are_written_as_they_are(name: str) -> None:
    if "\ufffd" not in name:
        assert path_text(name) == name
        assert path_of(name) == name


@given(st.text(alphabet="\ufffdE9aé8"))
def test_text_of_others_is_understood_or_refused(text: str) -> None:
    try:
        path = path_of(text)
    except AppError as error:
        assert error.code == "path_invalid"
    else:
        assert path_of(path_text(path)) == path


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
def test_the_innermost_folder_has_it(path: str, root: str, parts: tuple[str, ...]) -> None:
    spot = PLACES.spot(path)
    assert (str(spot.root.path), spot.parts) == (root, parts)


@given(st.lists(st.sampled_from(["..", ".", "data", "films", "etc", "", "x"])))
def test_no_path_leads_outside(parts: list[str]) -> None:
    path = "/" + "/".join(parts)
    if PLACES.inside(path):
        found = os.path.normpath(PLACES.spot(path).path)
        assert found.startswith(("/data", "/media/x")) and ".." not in path.split("/")


@pytest.mark.parametrize("path", ["", "data/a", "/", "/media", "/data/../etc", "/dat", "/data/a\0"])
def test_outside(path: str) -> None:
    assert not PLACES.inside(path)


def test_a_disk_that_is_not_mounted_any_more(tmp_path: os.PathLike[str]) -> None:
    places = Places([folder(str(tmp_path), mounted=True), folder("/proc", mounted=True)])
    with pytest.raises(AppError, match="folder_not_mounted"):
        places.require_present(places.spot(str(tmp_path)).root)
    places.require_present(places.spot("/proc").root)
