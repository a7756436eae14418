"""What a plan does to files; the numbers are those of the hostile cases."""

import os
import shutil
from pathlib import Path

import pytest

from quartet.media.moves.types import Companion, Progress, Step
from tests.media.house import House, codes


def test_a_release_goes_to_the_library_and_its_folder_goes_away(house: House) -> None:
    for name in ("Film.mkv", "Film.de.forced.srt", "Thumbs.db", "release.nzb"):
        house.file(f"downloads/Film.2021-GRP/{name}")
    before = house.tree()
    source = house.downloads / "Film.2021-GRP"
    target = house.library / "Film (2021)"
    report = house.run(
        Step(
            str(source / "Film.mkv"),
            str(target / "Film (2021).mkv"),
            item_id=7,
            companions=(
                Companion(
                    str(source / "Film.de.forced.srt"), str(target / "Film (2021).de.forced.srt")
                ),
            ),
        ),
        job_id=3,
    )
    assert codes(report) == [None, None]
    assert house.names(house.library) == [
        "Film (2021)",
        "Film (2021)/Film (2021).de.forced.srt",
        "Film (2021)/Film (2021).mkv",
    ]
    assert not source.exists()
    assert {row.role for row in house.rows()} == {"main", "companion", "junk"}
    assert len(house.undo().undone) == 4
    assert house.tree() == before
    assert house.names(house.library) == []
    assert [path.name for path in house.downloads.iterdir()] == ["Film.2021-GRP"]


def test_folders_with_something_of_worth_stay(house: House) -> None:
    house.file("downloads/pack/a.mkv")
    house.file("downloads/pack/notes.txt")
    house.file("downloads/pack/Thumbs.db")
    house.run(house.step("downloads/pack/a.mkv", "library/a.mkv"))
    assert house.names(house.downloads) == ["pack", "pack/Thumbs.db", "pack/notes.txt"]


def test_a_configured_folder_stays_although_it_is_empty(house: House) -> None:
    house.file("downloads/a.mkv")
    house.run(house.step("downloads/a.mkv", "library/a.mkv"))
    assert house.downloads.is_dir()


@pytest.mark.parametrize("action", ["move", "copy"])
def test_across_disks_everything_is_kept(house: House, action: str) -> None:
    file = house.file("downloads/a.mkv", "content" * 100_000)
    file.chmod(0o640)
    os.setxattr(file, "user.note", b"kept")
    before, tree = file.stat(), house.tree()
    target = house.far / "new" / "a.mkv"
    seen: list[Progress] = []
    report = house.run(
        Step(str(file), str(target), action=action),  # type: ignore[arg-type]
        watch=seen.append,
    )
    assert codes(report) == [None]
    after = target.stat()
    assert (after.st_mode, after.st_mtime_ns) == (before.st_mode, before.st_mtime_ns)
    if "user.note" in os.listxattr(target):  # tmpfs knows them since Linux 6.6
        assert os.getxattr(target, "user.note") == b"kept"
    assert any(one.bytes == one.bytes_total == 700_000 for one in seen)
    assert file.exists() == (action == "copy")
    assert [row.digest for row in house.rows()] != [None]
    house.undo()
    assert house.tree() == tree
    assert house.names(house.far) == []


def test_a_hardlink_shares_the_file_and_undo_takes_the_link_away(house: House) -> None:
    file = house.file("downloads/a.mkv")
    assert codes(house.run(house.step("downloads/a.mkv", "library/a.mkv", action="hardlink"))) == [
        None
    ]
    assert (house.library / "a.mkv").stat().st_ino == file.stat().st_ino
    house.undo()
    assert file.exists() and not (house.library / "a.mkv").exists()


def test_what_cannot_be_linked_is_said_and_never_copied(house: House) -> None:
    file = house.file("downloads/a.mkv")
    target = house.far / "a.mkv"
    for action in ("hardlink", "reflink"):
        report = house.run(Step(str(file), str(target), action=action))
        assert codes(report) == [f"{action}_impossible"]
    assert file.exists() and house.names(house.far) == []


# Hostile case 1
def test_two_files_for_one_target(house: House) -> None:
    house.file("downloads/a.mkv", "a")
    house.file("downloads/b.mkv", "b")
    house.file("downloads/c.mkv", "c")
    report = house.run(
        house.step("downloads/a.mkv", "library/Film.mkv", on_conflict="overwrite"),
        house.step("downloads/b.mkv", "library/FILM.mkv", on_conflict="overwrite"),
        house.step("downloads/c.mkv", "library/Film.mkv", on_conflict="suffix"),
    )
    assert codes(report) == [None, "duplicate_target", None]
    assert (house.library / "Film.mkv").read_text() == "a"
    assert (house.downloads / "b.mkv").read_text() == "b"
    assert (house.library / "Film (1).mkv").read_text() == "c"


# Hostile case 2
@pytest.mark.parametrize(
    "target", ["/etc/x.mkv", "../x.mkv", "library/../../x.mkv", "library/a\0b.mkv", "library"]
)
def test_no_target_outside(house: House, target: str) -> None:
    house.file("downloads/a.mkv")
    path = target if target.startswith("/") else f"{house.base}/{target}"
    report = house.run(Step(str(house.downloads / "a.mkv"), path))
    assert codes(report)[0] in ("outside_folders", "path_invalid")
    assert house.names(house.downloads) == ["a.mkv"]


# Hostile case 2
def test_links_lead_nowhere(house: House, tmp_path: Path) -> None:
    house.file("downloads/a.mkv")
    outside = tmp_path / "outside"
    outside.mkdir()
    secret = outside / "secret.mkv"
    secret.write_text("secret")
    (house.library / "shows").symlink_to(outside)
    (house.downloads / "link.mkv").symlink_to(secret)
    report = house.run(
        house.step("downloads/a.mkv", "library/shows/a.mkv", on_conflict="overwrite"),
        house.step("library/shows/secret.mkv", "library/secret.mkv"),
        house.step("downloads/link.mkv", "library/link.mkv"),
    )
    assert codes(report) == ["path_outside_root", "path_outside_root", "not_a_file"]
    assert [path.name for path in outside.iterdir()] == ["secret.mkv"]


# Hostile case 6
def test_names_that_just_fit(house: House) -> None:
    long = "ä" * 125 + "x.mkv"
    tail = ".pt-BR.forced.sdh.srt"
    subtitle = "y" * (255 - len(tail)) + tail
    for name in (long, subtitle):
        house.file(f"library/{name}", "old")
    for name in ("a.mkv", "a.srt"):
        house.file(f"downloads/{name}", "new")
    before = house.tree()
    for policy in ("overwrite", "suffix"):
        report = house.run(
            house.step("downloads/a.mkv", f"library/{long}", on_conflict=policy),
            house.step("downloads/a.srt", f"library/{subtitle}", on_conflict=policy),
        )
        assert codes(report) == [None, None]
        names = house.names(house.library)
        assert len(names) == 4 and all(len(os.fsencode(name)) <= 255 for name in names)
        if policy == "suffix":
            assert any(name.endswith(f" (1){tail}") for name in names)
        assert len(house.undo().undone) == 2
        assert house.tree() == before


# Hostile case 6
def test_names_that_are_no_text(house: House) -> None:
    raw = os.fsdecode(b"caf\xe9 \xef\xbf\xbd.mkv")
    twin = "cafe\u0301.mkv"  # beside its composed form
    for name in (raw, twin, "caf\u00e9.mkv"):
        house.file(f"downloads/{name}", "x")
    before = house.tree()
    report = house.run(
        house.step(f"downloads/{raw}", f"library/{raw}"),
        house.step(f"downloads/{twin}", "library/one.mkv"),
        house.step("downloads/caf\u00e9.mkv", "library/two.mkv"),
    )
    assert codes(report) == [None, None, None]
    assert (house.library / raw).exists()
    assert len(house.undo().undone) == 3
    assert house.tree() == before


def test_a_missing_source_and_a_folder_that_is_not_there(house: House) -> None:
    report = house.run(house.step("downloads/none.mkv", "library/a.mkv"))
    assert codes(report) == ["not_found"]
    assert house.rows() == []


def test_cancel_stops_between_files(house: House) -> None:
    for name in "abc":
        house.file(f"downloads/{name}.mkv")
    done: list[Progress] = []
    report = house.run(
        *(house.step(f"downloads/{name}.mkv", f"library/{name}.mkv") for name in "abc"),
        watch=done.append,
        cancelled=lambda: len(done) >= 1,
    )
    assert report.cancelled and codes(report) == [None, "cancelled", "cancelled"]
    assert house.names(house.downloads) == ["b.mkv", "c.mkv"]
    assert [row.state for row in house.rows()] == ["done", "failed", "failed"]


@pytest.mark.parametrize("far", [False, True])
def test_cancel_leaves_no_subtitle_behind(house: House, far: bool) -> None:
    library = house.far if far else house.library
    steps = []
    for name in "ab":
        files = [house.file(f"downloads/{name}.{ending}") for ending in ("mkv", "srt", "idx")]
        video, *others = [(str(file), str(library / file.name)) for file in files]
        steps.append(Step(*video, companions=tuple(Companion(*other) for other in others)))
    done: list[Progress] = []
    report = house.run(
        *steps,
        watch=lambda seen: done.append(seen) if not seen.bytes else None,
        cancelled=lambda: len(done) >= 1,
    )
    assert report.cancelled and codes(report) == [None] * 3 + ["cancelled"] * 3
    assert house.names(library) == ["a.idx", "a.mkv", "a.srt"]
    assert house.names(house.downloads) == ["b.idx", "b.mkv", "b.srt"]


def test_a_library_that_is_gone_is_not_made_anew(house: House) -> None:
    house.file("downloads/a.mkv")
    shutil.rmtree(house.library)
    with pytest.raises(Exception, match="folder_missing"):
        house.run(house.step("downloads/a.mkv", "library/a.mkv"))
    assert not house.library.exists()
