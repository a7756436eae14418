"""When the name is taken."""

import errno
import os
import threading
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quartet.kernel.files.renames import EntryRef, rename_no_replace
from quartet.media.moves import disk
from quartet.media.moves.better import ReleaseFacts, is_better
from quartet.media.moves.names import backup_name, numbered, split_tail
from quartet.media.moves.types import Companion, Report, Step
from tests.media.house import House, codes


def backups(folder: Path) -> list[str]:
    return [path.name for path in folder.iterdir() if ".app-bak-" in path.name]


def test_skip_leaves_both(house: House) -> None:
    house.file("downloads/a.mkv", "new")
    house.file("library/a.mkv", "old")
    report = house.run(house.step("downloads/a.mkv", "library/a.mkv"))
    assert (codes(report), report.count("skipped")) == (["already_exists"], 1)
    assert (house.library / "a.mkv").read_text() == "old"
    assert (house.downloads / "a.mkv").read_text() == "new"


@pytest.mark.parametrize("far", [False, True])
def test_overwrite_keeps_the_old_file_until_undone(house: House, far: bool) -> None:
    library = house.far if far else house.library
    house.file("downloads/a.mkv", "new")
    (library / "a.mkv").write_text("old")
    before = house.tree()
    step = Step(
        str(house.downloads / "a.mkv"), str(library / "a.mkv"), on_conflict="overwrite", item_id=1
    )
    assert codes(house.run(step)) == [None]
    assert (library / "a.mkv").read_text() == "new"
    assert len(backups(library)) == 1
    assert len(house.undo().undone) == 1
    assert house.tree() == before


# Hostile case 4
@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EROFS, errno.EIO])
@pytest.mark.parametrize("far", [False, True])
def test_a_fault_in_the_middle_of_overwrite_brings_the_old_file_back(
    house: House, monkeypatch: pytest.MonkeyPatch, code: int, far: bool
) -> None:
    library = house.far if far else house.library
    house.file("downloads/a.mkv", "new")
    (library / "Film.mkv").write_text("old")
    before = house.tree()
    calls: list[str] = []

    def faulty(source: EntryRef, target: EntryRef) -> None:
        calls.append(target.name)
        if len(calls) == 2:  # the old file is aside, the new one is about to come
            raise OSError(code, os.strerror(code))
        rename_no_replace(source, target)

    monkeypatch.setattr(disk, "rename_no_replace", faulty)
    source, target = str(house.downloads / "a.mkv"), str(library / "Film.mkv")
    report = house.run(Step(source, target, on_conflict="overwrite"))
    assert codes(report) == [
        {errno.ENOSPC: "disk_full", errno.EROFS: "read_only"}.get(code, "disk_failed")
    ]
    assert house.tree() == before
    assert [(row.state, row.backup) for row in house.rows()] == [("failed", None)]


# Hostile case 4
def test_a_full_disk_while_copying_leaves_nothing_behind(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    house.file("downloads/a.mkv", "new")
    (house.far / "a.mkv").write_text("old")
    before = house.tree()

    def full(_fd: int, _data: object) -> int:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "write", full)
    target = str(house.far / "x" / "a.mkv")
    report = house.run(
        Step(str(house.downloads / "a.mkv"), str(house.far / "a.mkv"), on_conflict="overwrite"),
        Step(str(house.downloads / "a.mkv"), target, action="copy"),
    )
    assert codes(report) == ["disk_full", "disk_full"]
    assert house.tree() == before and house.names(house.far) == ["a.mkv"]


def test_a_number_goes_before_the_tags_and_companions_get_the_same(house: House) -> None:
    house.file("library/Film.mkv", "old")
    house.file("library/Film (1).mkv", "old")
    for name in ("f.mkv", "f.de.srt", "poster.jpg"):
        house.file(f"downloads/{name}")
    source, target = house.downloads, house.library
    house.run(
        Step(
            str(source / "f.mkv"),
            str(target / "Film.mkv"),
            on_conflict="suffix",
            companions=(
                Companion(str(source / "f.de.srt"), str(target / "Film.de.srt")),
                Companion(str(source / "poster.jpg"), str(target / "poster.jpg")),
            ),
        )
    )
    assert house.names(house.library) == [
        "Film (1).mkv",
        "Film (2).de.srt",
        "Film (2).mkv",
        "Film.mkv",
        "poster.jpg",
    ]


def keep_better(house: House, better: bool | None) -> Report:
    for name in ("Film.mkv", "Film.srt"):
        house.file(f"downloads/{name}", "new")
        house.file(f"library/{name}", "old")
    step = Step(
        str(house.downloads / "Film.mkv"),
        str(house.library / "Film.mkv"),
        on_conflict="keep_better",
        companions=(Companion(str(house.downloads / "Film.srt"), str(house.library / "Film.srt")),),
    )
    return house.run(step, better=lambda _new, _old: better)


def test_keep_better_replaces_with_what_belongs_to_it(house: House) -> None:
    assert codes(keep_better(house, True)) == [None, None]
    assert len(backups(house.library)) == 2


@pytest.mark.parametrize("better", [False, None])
def test_keep_better_leaves_what_is_as_good(house: House, better: bool | None) -> None:
    assert codes(keep_better(house, better)) == ["not_better", "main_not_moved"]
    assert backups(house.library) == []
    assert (house.library / "Film.mkv").read_text() == "old"


def test_without_a_conflict_of_the_video_no_companion_is_replaced(house: House) -> None:
    house.file("downloads/Film.mkv", "new")
    house.file("downloads/Film.srt", "new")
    house.file("library/Film.srt", "old")
    companion = Companion(str(house.downloads / "Film.srt"), str(house.library / "Film.srt"))
    report = house.run(
        Step(
            str(house.downloads / "Film.mkv"),
            str(house.library / "Film.mkv"),
            on_conflict="keep_better",
            companions=(companion,),
        ),
        better=lambda _new, _old: True,
    )
    assert codes(report) == [None, "already_exists"]
    assert (house.library / "Film.srt").read_text() == "old"


# Hostile case 1
@pytest.mark.parametrize("policy", ["skip", "suffix", "overwrite"])
def test_two_plans_race_for_the_same_names(house: House, policy: str) -> None:
    for name in "ab":
        for number in range(50):
            house.file(f"downloads/{name}/{number}.mkv", f"{name}{number}")
    before = {content for content, _ in house.tree().values()}
    start, reports = threading.Barrier(2), []

    def race(name: str) -> None:
        steps = [
            house.step(
                f"downloads/{name}/{number}.mkv", f"library/{number}.mkv", on_conflict=policy
            )
            for number in range(50)
        ]
        start.wait()
        reports.append(house.run(*steps))

    threads = [threading.Thread(target=race, args=(name,)) for name in "ab"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    after = [content for content, _ in house.tree().values()]
    assert sorted(after) == sorted(before)
    done = sum(report.count("done") for report in reports)
    assert done == (50 if policy == "skip" else 100)
    assert len([row for row in house.rows() if row.state == "done"]) == done


@pytest.mark.parametrize(
    ("name", "parts"),
    [
        ("Film.mkv", ("Film", ".mkv")),
        ("Film.de.srt", ("Film", ".de.srt")),
        ("Film.pt-BR.forced.sdh.srt", ("Film", ".pt-BR.forced.sdh.srt")),
        ("Film.de.mkv", ("Film.de", ".mkv")),
        ("en.srt", ("en", ".srt")),
        ("Show.S01E01.srt", ("Show.S01E01", ".srt")),
    ],
)
def test_the_tail_of_a_name(name: str, parts: tuple[str, str]) -> None:
    assert split_tail(name) == parts


@given(st.binary(min_size=1, max_size=255), st.integers(1, 9999))
def test_every_name_we_make_fits(raw: bytes, number: int) -> None:
    name = os.fsdecode(raw.replace(b"/", b"_").replace(b"\0", b"_"))
    for made in (numbered(name, number), backup_name(name, 1_700_000_000_000)):
        assert 0 < len(os.fsencode(made)) <= 255


F = ReleaseFacts


@pytest.mark.parametrize(
    ("new", "old", "better"),
    [
        (F(resolution="2160p"), F(resolution="1080p"), True),
        (F(resolution="1080i"), F(resolution="1080p"), False),
        (F(resolution="1080p", source="WEB-DL"), F(resolution="1080p", source="Remux"), False),
        (F(source="WEB", size=1), F(source="WEBRip", size=1), None),
        (F(resolution="4320p", size=1), F(resolution="2160p", size=2), True),
        (F(hdr="DV"), F(hdr="HDR10"), True),
        (F(video_codec="H.265"), F(video_codec="H.264"), True),
        (F(video_codec="MPEG-4", size=2), F(video_codec="H.264", size=1), False),
        (F(video_codec="MPEG-4", size=1), F(video_codec="XviD", size=1), None),
        (F(video_codec="H.266", size=1), F(video_codec="H.265", size=2), True),
        (F(video_codec="VC-1", size=1), F(video_codec="MPEG-2", size=2), True),
        (F(audio_codec="WMA", size=2), F(audio_codec="AC3", size=1), False),
        (F(audio_codec="AAC", audio_channels=5.1), F(audio_codec="Opus", audio_channels=2), True),
        (F(proper=True), F(proper=False), True),
        (F(size=2), F(size=1), True),
        # Unknown never loses to known: the next criterion decides.
        (F(size=2), F(resolution="2160p", size=1), True),
        (F(resolution="8k?", size=1), F(resolution="720p", size=1), None),
        (F(), F(), None),
    ],
)
def test_which_release_is_better(new: ReleaseFacts, old: ReleaseFacts, better: bool | None) -> None:
    assert is_better(new, old) is better
    assert is_better(old, new) is (None if better is None else not better)
