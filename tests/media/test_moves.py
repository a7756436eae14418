"""What a plan does to files."""

import os
import shutil
import unicodedata
from pathlib import Path

import pytest

from quartet.media.moves.types import CompanionMove, MoveProgress, Step
from tests.media.move_sandbox import MoveSandbox, codes


def test_release_is_moved_and_its_folder_removed(sandbox: MoveSandbox) -> None:
    for name in ("Film.mkv", "Film.de.forced.srt", "Thumbs.db", "release.nzb"):
        sandbox.file(f"downloads/Film.2021-GRP/{name}")
    before = sandbox.tree()
    source = sandbox.downloads / "Film.2021-GRP"
    target = sandbox.library / "Film (2021)"
    report = sandbox.run(
        Step(
            str(source / "Film.mkv"),
            str(target / "Film (2021).mkv"),
            item_id=7,
            companions=(
                CompanionMove(
                    str(source / "Film.de.forced.srt"), str(target / "Film (2021).de.forced.srt")
                ),
            ),
        ),
        job_id=3,
    )
    assert codes(report) == [None, None]
    assert sandbox.names(sandbox.library) == [
        "Film (2021)",
        "Film (2021)/Film (2021).de.forced.srt",
        "Film (2021)/Film (2021).mkv",
    ]
    assert not source.exists()
    assert {row.role for row in sandbox.rows()} == {"main", "companion", "junk"}
    assert len(sandbox.undo().undone) == 4
    assert sandbox.tree() == before
    assert sandbox.names(sandbox.library) == []
    assert [path.name for path in sandbox.downloads.iterdir()] == ["Film.2021-GRP"]


def test_folder_with_other_files_stays(sandbox: MoveSandbox) -> None:
    sandbox.file("downloads/pack/a.mkv")
    sandbox.file("downloads/pack/notes.txt")
    sandbox.file("downloads/pack/Thumbs.db")
    sandbox.run(sandbox.step("downloads/pack/a.mkv", "library/a.mkv"))
    assert sandbox.names(sandbox.downloads) == ["pack", "pack/Thumbs.db", "pack/notes.txt"]


def test_empty_configured_folder_stays(sandbox: MoveSandbox) -> None:
    sandbox.file("downloads/a.mkv")
    sandbox.run(sandbox.step("downloads/a.mkv", "library/a.mkv"))
    assert sandbox.downloads.is_dir()


@pytest.mark.parametrize("action", ["move", "copy"])
def test_move_across_disks_keeps_metadata(sandbox: MoveSandbox, action: str) -> None:
    file = sandbox.file("downloads/a.mkv", "content" * 100_000)
    file.chmod(0o640)
    os.setxattr(file, "user.note", b"kept")
    before, tree = file.stat(), sandbox.tree()
    target = sandbox.far / "new" / "a.mkv"
    seen: list[MoveProgress] = []
    report = sandbox.run(
        Step(str(file), str(target), action=action),  # type: ignore[arg-type]
        watch=seen.append,
    )
    assert codes(report) == [None]
    after = target.stat()
    assert (after.st_mode, after.st_mtime_ns) == (before.st_mode, before.st_mtime_ns)
    if "user.note" in os.listxattr(target):  # tmpfs supports them since Linux 6.6
        assert os.getxattr(target, "user.note") == b"kept"
    assert any(one.bytes == one.bytes_total == 700_000 for one in seen)
    assert file.exists() == (action == "copy")
    assert [row.digest for row in sandbox.rows()] != [None]
    sandbox.undo()
    assert sandbox.tree() == tree
    assert sandbox.names(sandbox.far) == []


def test_hardlink_and_its_undo(sandbox: MoveSandbox) -> None:
    file = sandbox.file("downloads/a.mkv")
    assert codes(
        sandbox.run(sandbox.step("downloads/a.mkv", "library/a.mkv", action="hardlink"))
    ) == [None]
    assert (sandbox.library / "a.mkv").stat().st_ino == file.stat().st_ino
    sandbox.undo()
    assert file.exists() and not (sandbox.library / "a.mkv").exists()


def test_impossible_link_is_not_replaced_by_a_copy(sandbox: MoveSandbox) -> None:
    file = sandbox.file("downloads/a.mkv")
    target = sandbox.far / "a.mkv"
    for action in ("hardlink", "reflink"):
        report = sandbox.run(Step(str(file), str(target), action=action))
        assert codes(report) == [f"{action}_impossible"]
    assert file.exists() and sandbox.names(sandbox.far) == []


def test_two_files_with_one_target(sandbox: MoveSandbox) -> None:
    sandbox.file("downloads/a.mkv", "a")
    sandbox.file("downloads/b.mkv", "b")
    sandbox.file("downloads/c.mkv", "c")
    report = sandbox.run(
        sandbox.step("downloads/a.mkv", "library/Film.mkv", on_conflict="overwrite"),
        sandbox.step("downloads/b.mkv", "library/FILM.mkv", on_conflict="overwrite"),
        sandbox.step("downloads/c.mkv", "library/Film.mkv", on_conflict="suffix"),
    )
    assert codes(report) == [None, "duplicate_target", None]
    assert (sandbox.library / "Film.mkv").read_text() == "a"
    assert (sandbox.downloads / "b.mkv").read_text() == "b"
    assert (sandbox.library / "Film (1).mkv").read_text() == "c"


@pytest.mark.parametrize(
    "target", ["/etc/x.mkv", "../x.mkv", "library/../../x.mkv", "library/a\0b.mkv", "library"]
)
def test_target_outside_is_refused(sandbox: MoveSandbox, target: str) -> None:
    sandbox.file("downloads/a.mkv")
    path = target if target.startswith("/") else f"{sandbox.base}/{target}"
    report = sandbox.run(Step(str(sandbox.downloads / "a.mkv"), path))
    assert codes(report)[0] in ("outside_folders", "path_invalid")
    assert sandbox.names(sandbox.downloads) == ["a.mkv"]


def test_symlinks_are_not_followed(sandbox: MoveSandbox, tmp_path: Path) -> None:
    sandbox.file("downloads/a.mkv")
    outside_error = tmp_path / "outside"
    outside_error.mkdir()
    secret = outside_error / "secret.mkv"
    secret.write_text("secret")
    (sandbox.library / "shows").symlink_to(outside_error)
    (sandbox.downloads / "link.mkv").symlink_to(secret)
    report = sandbox.run(
        sandbox.step("downloads/a.mkv", "library/shows/a.mkv", on_conflict="overwrite"),
        sandbox.step("library/shows/secret.mkv", "library/secret.mkv"),
        sandbox.step("downloads/link.mkv", "library/link.mkv"),
    )
    assert codes(report) == ["path_outside_root", "path_outside_root", "not_a_file"]
    assert [path.name for path in outside_error.iterdir()] == ["secret.mkv"]


def test_names_of_maximum_length(sandbox: MoveSandbox) -> None:
    long = "ä" * 125 + "x.mkv"
    tail = ".pt-BR.forced.sdh.srt"
    subtitle = "y" * (255 - len(tail)) + tail
    for name in (long, subtitle):
        sandbox.file(f"library/{name}", "old")
    for name in ("a.mkv", "a.srt"):
        sandbox.file(f"downloads/{name}", "new")
    before = sandbox.tree()
    for policy in ("overwrite", "suffix"):
        report = sandbox.run(
            sandbox.step("downloads/a.mkv", f"library/{long}", on_conflict=policy),
            sandbox.step("downloads/a.srt", f"library/{subtitle}", on_conflict=policy),
        )
        assert codes(report) == [None, None]
        names = sandbox.names(sandbox.library)
        assert len(names) == 4 and all(len(os.fsencode(name)) <= 255 for name in names)
        if policy == "suffix":
            assert any(name.endswith(f" (1){tail}") for name in names)
        assert len(sandbox.undo().undone) == 2
        assert sandbox.tree() == before


def test_names_that_are_not_utf8_are_moved(sandbox: MoveSandbox) -> None:
    raw = os.fsdecode(b"caf\xe9 \xef\xbf\xbd.mkv")
    twin = "cafe\u0301.mkv"  # next to its composed form
    for name in (raw, twin, "caf\u00e9.mkv"):
        sandbox.file(f"downloads/{name}", "x")
    before = sandbox.tree()
    report = sandbox.run(
        sandbox.step(f"downloads/{raw}", f"library/{raw}"),
        sandbox.step(f"downloads/{twin}", "library/one.mkv"),
        sandbox.step("downloads/caf\u00e9.mkv", "library/two.mkv"),
    )
    assert codes(report) == [None, None, None]
    assert (sandbox.library / raw).exists()
    assert len(sandbox.undo().undone) == 3
    assert sandbox.tree() == before


def test_missing_source(sandbox: MoveSandbox) -> None:
    report = sandbox.run(sandbox.step("downloads/none.mkv", "library/a.mkv"))
    assert codes(report) == ["not_found"]
    assert sandbox.rows() == []


def test_cancel_stops_between_files(sandbox: MoveSandbox) -> None:
    for name in "abc":
        sandbox.file(f"downloads/{name}.mkv")
    done: list[MoveProgress] = []
    report = sandbox.run(
        *(sandbox.step(f"downloads/{name}.mkv", f"library/{name}.mkv") for name in "abc"),
        watch=done.append,
        cancelled=lambda: len(done) >= 1,
    )
    assert report.cancelled and codes(report) == [None, "cancelled", "cancelled"]
    assert sandbox.names(sandbox.downloads) == ["b.mkv", "c.mkv"]
    assert [row.state for row in sandbox.rows()] == ["done", "failed", "failed"]


@pytest.mark.parametrize("far", [False, True])
def test_cancel_still_moves_companions(sandbox: MoveSandbox, far: bool) -> None:
    library = sandbox.far if far else sandbox.library
    steps = []
    for name in "ab":
        files = [sandbox.file(f"downloads/{name}.{ending}") for ending in ("mkv", "srt", "idx")]
        video, *others = [(str(file), str(library / file.name)) for file in files]
        steps.append(Step(*video, companions=tuple(CompanionMove(*other) for other in others)))
    done: list[MoveProgress] = []
    report = sandbox.run(
        *steps,
        watch=lambda seen: done.append(seen) if not seen.bytes else None,
        cancelled=lambda: len(done) >= 1,
    )
    assert report.cancelled and codes(report) == [None] * 3 + ["cancelled"] * 3
    assert sandbox.names(library) == ["a.idx", "a.mkv", "a.srt"]
    assert sandbox.names(sandbox.downloads) == ["b.idx", "b.mkv", "b.srt"]


def test_missing_library_is_not_created(sandbox: MoveSandbox) -> None:
    sandbox.file("downloads/a.mkv")
    shutil.rmtree(sandbox.library)
    with pytest.raises(Exception, match="folder_missing"):
        sandbox.run(sandbox.step("downloads/a.mkv", "library/a.mkv"))
    assert not sandbox.library.exists()


def test_folder_in_another_unicode_form_is_used(sandbox: MoveSandbox) -> None:
    name = "Am\u00e9lie (2001)"
    existing = sandbox.file(f"library/{unicodedata.normalize('NFD', name)}/poster.jpg").parent
    sandbox.file("downloads/amelie.mkv")
    report = sandbox.run(sandbox.step("downloads/amelie.mkv", f"library/{name}/{name}.mkv"))
    assert codes(report) == [None]
    assert sandbox.names(existing) == [f"{name}.mkv", "poster.jpg"]
    assert list(sandbox.library.iterdir()) == [existing]
    # The same film in another form is a conflict.
    sandbox.file("downloads/again.mkv")
    other = unicodedata.normalize("NFD", f"library/{name}/{name}.mkv")
    assert codes(sandbox.run(sandbox.step("downloads/again.mkv", other))) == ["already_exists"]
