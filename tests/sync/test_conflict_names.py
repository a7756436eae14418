"""Names of conflict copies and versions, including empty stems, dot files and marks in users'
names.
"""

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quartet.kernel.errors import AppError
from quartet.kernel.files.paths import validate_parts
from quartet.sync.hubfiles.conflicts.finder import copy_of
from quartet.sync.hubfiles.names import conflict_copy, named_after, version, version_name

MARK = ".sync-conflict-20261115-004805-L4V4D74"
AT = int(datetime(2026, 11, 15, 0, 48, 5, tzinfo=UTC).timestamp())

names = st.text(st.characters(codec="utf-8", exclude_characters="/\0"), min_size=1, max_size=40)


@pytest.mark.parametrize(
    ("copy", "name"),
    [
        (f"doc{MARK}.txt", "doc.txt"),
        (f"noext{MARK}", "noext"),
        (f"{MARK}.hidden", ".hidden"),
        (f"x.tar{MARK}.gz", "x.tar.gz"),
        (f"two\nlines{MARK}.txt", "two\nlines.txt"),
        # A user's file that looks like a copy can have a conflict itself.
        (f"doc{MARK}{MARK}.txt", f"doc{MARK}.txt"),
    ],
)
def test_conflict_copy_name_is_parsed(copy: str, name: str) -> None:
    found = conflict_copy(copy)
    assert found is not None
    assert (found.name, found.at, found.winner) == (name, AT, "L4V4D74")


@pytest.mark.parametrize(
    "name",
    [
        MARK,
        f"{MARK}.",
        f".{MARK}.",
        "doc.sync-conflict-notes.txt",
        "doc.sync-conflict-20261315-004805-L4V4D74.txt",
        "doc.sync-conflict-20261115-004805-l4v4d74.txt",
        "doc.sync-conflict-\u0662\u0660261115-004805-L4V4D74.txt",
        f"doc{MARK}.tar.gz",
        f".syncthing.doc{MARK}.tmp",
        f"{MARK}.stignore",
        f"{MARK}\n",
    ],
)
def test_other_names_are_not_conflict_copies(name: str) -> None:
    assert conflict_copy(name) is None


def engines_name(name: str, mark: str) -> str:
    """Insert the mark as the engine does: before the last dot, which may be the first character."""
    at = name.rfind(".")
    return name + mark if at < 0 else name[:at] + mark + name[at:]


@given(names)
def test_names_marked_by_engine_are_parsed(name: str) -> None:
    if name in (".", "..", ".stfolder", ".stignore", ".stversions"):
        return
    versioned = version(engines_name(name, "~20261115-004805"))
    assert versioned is not None
    assert (versioned.name, versioned.at) == (name, AT)
    assert version_name(name, AT) == engines_name(name, "~20261115-004805")
    if not name.startswith((".syncthing.", "~syncthing~")):
        found = conflict_copy(engines_name(name, MARK))
        assert found is not None
        assert found.name == name


@given(st.text(max_size=60))
def test_paths_never_leave_folder(text: str) -> None:
    for path in (text, f"{text}/a{MARK}.txt", f"{text}{MARK}.", f"a/{text}{MARK}"):
        try:
            copy = copy_of(path)
        except AppError as error:
            assert error.status in (400, 404)
        else:
            for parts in (copy.parts, copy.of):
                assert validate_parts(parts) == parts
                assert "/".join(parts)[0] != "/"


@given(names, st.text(min_size=1, max_size=100))
def test_name_with_owner_fits_length_limit(name: str, owner: str) -> None:
    long = (name * 20).encode()[:217].decode(errors="ignore")
    whose = owner.encode(errors="ignore")[:60].decode(errors="ignore")
    for each in (long, "a." + "e" * 215):
        assert len(named_after(each, whose).encode()) <= 255
