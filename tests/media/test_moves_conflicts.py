"""Existing targets and conflict actions."""

import errno
import os
import threading
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quartet.kernel.files.renames import EntryRef, rename_no_replace
from quartet.media.moves import disk
from quartet.media.moves.generated_names import backup_name, numbered, split_tail
from quartet.media.moves.release_quality import ReleaseQuality, is_better
from quartet.media.moves.types import CompanionMove, MoveReport, Step
from tests.media.move_sandbox import MoveSandbox, codes


def backups(folder: Path) -> list[str]:
    return [path.name for path in folder.iterdir() if ".app-bak-" in path.name]


def test_skip_keeps_both(sandbox: MoveSandbox) -> None:
    sandbox.file("downloads/a.mkv", "new")
    sandbox.file("library/a.mkv", "old")
    report = sandbox.run(sandbox.step("downloads/a.mkv", "library/a.mkv"))
    assert (codes(report), report.count("skipped")) == (["already_exists"], 1)
    assert (sandbox.library / "a.mkv").read_text() == "old"
    assert (sandbox.downloads / "a.mkv").read_text() == "new"


@pytest.mark.parametrize("far", [False, True])
def test_overwrite_keeps_backup_until_undo(sandbox: MoveSandbox, far: bool) -> None:
    library = sandbox.far if far else sandbox.library
    sandbox.file("downloads/a.mkv", "new")
    (library / "a.mkv").write_text("old")
    before = sandbox.tree()
    step = Step(
        str(sandbox.downloads / "a.mkv"), str(library / "a.mkv"), on_conflict="overwrite", item_id=1
    )
    assert codes(sandbox.run(step)) == [None]
    assert (library / "a.mkv").read_text() == "new"
    assert len(backups(library)) == 1
    assert len(sandbox.undo().undone) == 1
    assert sandbox.tree() == before


@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EROFS, errno.EIO])
@pytest.mark.parametrize("far", [False, True])
def test_failed_overwrite_restores_old_file(
    sandbox: MoveSandbox, monkeypatch: pytest.MonkeyPatch, code: int, far: bool
) -> None:
    library = sandbox.far if far else sandbox.library
    sandbox.file("downloads/a.mkv", "new")
    (library / "Film.mkv").write_text("old")
    before = sandbox.tree()
    calls: list[str] = []

    def faulty(source: EntryRef, target: EntryRef) -> None:
        calls.append(target.name)
        if len(calls) == 2:  # the old file is the backup now, and the new one follows
            raise OSError(code, os.strerror(code))
        rename_no_replace(source, target)

    monkeypatch.setattr(disk, "rename_no_replace", faulty)
    source, target = str(sandbox.downloads / "a.mkv"), str(library / "Film.mkv")
    report = sandbox.run(Step(source, target, on_conflict="overwrite"))
    assert codes(report) == [
        {errno.ENOSPC: "disk_full", errno.EROFS: "read_only"}.get(code, "disk_failed")
    ]
    assert sandbox.tree() == before
    assert [(row.state, row.backup) for row in sandbox.rows()] == [("failed", None)]


def test_full_disk_during_copy_leaves_nothing(
    sandbox: MoveSandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    sandbox.file("downloads/a.mkv", "new")
    (sandbox.far / "a.mkv").write_text("old")
    before = sandbox.tree()

    def full(_fd: int, _data: object) -> int:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "write", full)
    target = str(sandbox.far / "x" / "a.mkv")
    report = sandbox.run(
        Step(str(sandbox.downloads / "a.mkv"), str(sandbox.far / "a.mkv"), on_conflict="overwrite"),
        Step(str(sandbox.downloads / "a.mkv"), target, action="copy"),
    )
    assert codes(report) == ["disk_full", "disk_full"]
    # Not the temporary name of the copy.
    assert {one.problem.inputs["path"] for one in report.outcomes if one.problem} == {"a.mkv"}
    assert sandbox.tree() == before and sandbox.names(sandbox.far) == ["a.mkv"]


def test_number_precedes_tags_and_companions_share_it(sandbox: MoveSandbox) -> None:
    sandbox.file("library/Film.mkv", "old")
    sandbox.file("library/Film (1).mkv", "old")
    for name in ("f.mkv", "f.de.srt", "poster.jpg"):
        sandbox.file(f"downloads/{name}")
    source, target = sandbox.downloads, sandbox.library
    sandbox.run(
        Step(
            str(source / "f.mkv"),
            str(target / "Film.mkv"),
            on_conflict="suffix",
            companions=(
                CompanionMove(str(source / "f.de.srt"), str(target / "Film.de.srt")),
                CompanionMove(str(source / "poster.jpg"), str(target / "poster.jpg")),
            ),
        )
    )
    assert sandbox.names(sandbox.library) == [
        "Film (1).mkv",
        "Film (2).de.srt",
        "Film (2).mkv",
        "Film.mkv",
        "poster.jpg",
    ]


def keep_better(sandbox: MoveSandbox, better: bool | None) -> MoveReport:
    for name in ("Film.mkv", "Film.srt"):
        sandbox.file(f"downloads/{name}", "new")
        sandbox.file(f"library/{name}", "old")
    step = Step(
        str(sandbox.downloads / "Film.mkv"),
        str(sandbox.library / "Film.mkv"),
        on_conflict="keep_better",
        companions=(
            CompanionMove(str(sandbox.downloads / "Film.srt"), str(sandbox.library / "Film.srt")),
        ),
    )
    return sandbox.run(step, better=lambda _new, _old: better)


def test_keep_better_replaces_video_and_companions(sandbox: MoveSandbox) -> None:
    assert codes(keep_better(sandbox, True)) == [None, None]
    assert len(backups(sandbox.library)) == 2


@pytest.mark.parametrize("better", [False, None])
def test_keep_better_keeps_equal_file(sandbox: MoveSandbox, better: bool | None) -> None:
    assert codes(keep_better(sandbox, better)) == ["not_better", "main_not_moved"]
    assert backups(sandbox.library) == []
    assert (sandbox.library / "Film.mkv").read_text() == "old"


def test_companion_is_not_replaced_without_its_video(sandbox: MoveSandbox) -> None:
    sandbox.file("downloads/Film.mkv", "new")
    sandbox.file("downloads/Film.srt", "new")
    sandbox.file("library/Film.srt", "old")
    companion = CompanionMove(
        str(sandbox.downloads / "Film.srt"), str(sandbox.library / "Film.srt")
    )
    report = sandbox.run(
        Step(
            str(sandbox.downloads / "Film.mkv"),
            str(sandbox.library / "Film.mkv"),
            on_conflict="keep_better",
            companions=(companion,),
        ),
        better=lambda _new, _old: True,
    )
    assert codes(report) == [None, "already_exists"]
    assert (sandbox.library / "Film.srt").read_text() == "old"


@pytest.mark.parametrize("policy", ["skip", "suffix", "overwrite"])
def test_two_plans_racing_for_the_same_names(sandbox: MoveSandbox, policy: str) -> None:
    for name in "ab":
        for number in range(50):
            sandbox.file(f"downloads/{name}/{number}.mkv", f"{name}{number}")
    before = {content for content, _ in sandbox.tree().values()}
    start, reports = threading.Barrier(2), []

    def race(name: str) -> None:
        steps = [
            sandbox.step(
                f"downloads/{name}/{number}.mkv", f"library/{number}.mkv", on_conflict=policy
            )
            for number in range(50)
        ]
        start.wait()
        reports.append(sandbox.run(*steps))

    threads = [threading.Thread(target=race, args=(name,)) for name in "ab"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    after = [content for content, _ in sandbox.tree().values()]
    assert sorted(after) == sorted(before)
    done = sum(report.count("done") for report in reports)
    assert done == (50 if policy == "skip" else 100)
    assert len([row for row in sandbox.rows() if row.state == "done"]) == done


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
def test_split_tail(name: str, parts: tuple[str, str]) -> None:
    assert split_tail(name) == parts


@given(st.binary(min_size=1, max_size=255), st.integers(1, 9999))
def test_generated_names_fit_255_bytes(raw: bytes, number: int) -> None:
    name = os.fsdecode(raw.replace(b"/", b"_").replace(b"\0", b"_"))
    for made in (numbered(name, number), backup_name(name, 1_700_000_000_000)):
        assert 0 < len(os.fsencode(made)) <= 255


F = ReleaseQuality


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
        # Unknown values are skipped; the next criterion decides.
        (F(size=2), F(resolution="2160p", size=1), True),
        (F(resolution="8k?", size=1), F(resolution="720p", size=1), None),
        (F(), F(), None),
    ],
)
def test_better_release_is_recognised(
    new: ReleaseQuality, old: ReleaseQuality, better: bool | None
) -> None:
    assert is_better(new, old) is better
    assert is_better(old, new) is (None if better is None else not better)
