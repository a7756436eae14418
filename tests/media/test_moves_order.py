"""Files that take each other's names."""

import os
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quartet.kernel.files import syscalls
from quartet.media.moves.move_order import MoveLink, batches, order_moves
from quartet.media.moves.types import Step
from tests.media.move_sandbox import MoveSandbox, codes, move_sandbox_at
from tests.rounds import examples


def rename(sandbox: MoveSandbox, pairs: dict[str, str]) -> list[str | None]:
    """Rename files whose content is their old name."""
    for name in pairs:
        sandbox.file(f"library/{name}.mkv", name)
    steps = [
        sandbox.step(f"library/{old}.mkv", f"library/{new}.mkv", on_conflict="overwrite")
        for old, new in pairs.items()
    ]
    return codes(sandbox.run(*steps))


@pytest.mark.parametrize(
    "pairs",
    [
        {"a": "b", "b": "a"},
        {"1": "2", "2": "3", "3": "1"},
        {str(number): str(number + 1) for number in range(30)},
        {str(number + 1): str(number) for number in range(30)},
        {"a": "A"},
        {"a": "b", "b": "a", "c": "d", "d": "e"},
    ],
    ids=["swap", "cycle", "shift up", "shift down", "case", "swap and chain"],
)
def test_swaps_cycles_and_shifts_lose_nothing(sandbox: MoveSandbox, pairs: dict[str, str]) -> None:
    assert rename(sandbox, pairs) == [None] * len(pairs)
    expected = {f"{new}.mkv": old for old, new in pairs.items()}
    found = {path.name: path.read_text() for path in sandbox.library.iterdir()}
    assert found == expected
    assert len(sandbox.undo().undone) == len(pairs)
    found = {path.name: path.read_text() for path in sandbox.library.iterdir()}
    assert found == {f"{name}.mkv": name for name in pairs}


def test_rename_to_same_path_is_skipped(sandbox: MoveSandbox) -> None:
    assert rename(sandbox, {"a": "a"}) == ["same_path"]
    assert sandbox.rows() == []


# On disks without RENAME_NOREPLACE.
def test_swap_without_renameat2(sandbox: MoveSandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    def unsupported(*_: object) -> None:
        raise OSError(95, "")

    monkeypatch.setattr(syscalls, "renameat2", unsupported)
    assert rename(sandbox, {"a": "b", "b": "a"}) == [None, None]
    assert (sandbox.library / "a.mkv").read_text() == "b"


def test_file_that_stays_is_not_replaced(sandbox: MoveSandbox) -> None:
    sandbox.file("library/a.mkv", "a")
    sandbox.file("library/b.mkv", "b")
    sandbox.file("library/c.mkv", "c")
    report = sandbox.run(
        sandbox.step("library/a.mkv", "library/b.mkv", on_conflict="overwrite"),
        sandbox.step("library/b.mkv", "library/c.mkv", on_conflict="skip"),
    )
    assert codes(report) == ["target_in_use", "already_exists"]
    assert [path.read_text() for path in sorted(sandbox.library.iterdir())] == ["a", "b", "c"]


def test_swap_across_disks(sandbox: MoveSandbox) -> None:
    near, far = sandbox.library / "a.mkv", sandbox.far / "b.mkv"
    near.write_text("near")
    far.write_text("far")
    before = sandbox.tree()
    report = sandbox.run(Step(str(near), str(far)), Step(str(far), str(near)))
    assert codes(report) == [None, None]
    assert (near.read_text(), far.read_text()) == ("far", "near")
    assert len(sandbox.undo().undone) == 2
    assert sandbox.tree() == before


def test_cycle_is_finished_after_cancel(sandbox: MoveSandbox) -> None:
    for name in "abc":
        sandbox.file(f"library/{name}.mkv", name)
    asked: list[int] = []

    def cancelled() -> bool:
        asked.append(1)
        return len(asked) > 1

    report = sandbox.run(
        *(sandbox.step(f"library/{a}.mkv", f"library/{b}.mkv") for a, b in ("ab", "ba")),
        sandbox.step("library/c.mkv", "library/d.mkv"),
        cancelled=cancelled,
    )
    assert codes(report) == [None, None, "cancelled"]
    assert (sandbox.library / "a.mkv").read_text() == "b"
    assert (sandbox.library / "c.mkv").exists()


def test_folders_move_after_their_content(sandbox: MoveSandbox) -> None:
    sandbox.file("library/Show/Season 1/e1.mkv", "1")
    sandbox.file("library/Other/x.mkv", "x")
    before = sandbox.tree()
    report = sandbox.run(
        sandbox.step("library/Show", "library/Other"),
        sandbox.step("library/Other", "library/Show"),
        sandbox.step("library/Show/Season 1", "library/Show/Season 01"),
        sandbox.step("library/Show/Season 1/e1.mkv", "library/Show/Season 1/S01E01.mkv"),
    )
    assert codes(report) == [None] * 4
    assert (sandbox.library / "Other/Season 01/S01E01.mkv").read_text() == "1"
    assert (sandbox.library / "Show/x.mkv").read_text() == "x"
    assert len(sandbox.undo().undone) == 4
    assert sandbox.tree() == before


def test_folder_cannot_move_into_itself(sandbox: MoveSandbox) -> None:
    sandbox.file("library/Show/e1.mkv")
    report = sandbox.run(sandbox.step("library/Show", "library/Show/Show"))
    assert codes(report) == ["move_into_itself"]


def test_undo_recognises_file_that_was_copied_back(sandbox: MoveSandbox) -> None:
    file = sandbox.file("downloads/a.mkv")
    before = sandbox.tree()
    sandbox.run(sandbox.step("downloads/a.mkv", "library/a.mkv"))
    sandbox.run(Step(str(sandbox.library / "a.mkv"), str(sandbox.far / "a.mkv")))
    held = [sandbox.file(f"downloads/{number}") for number in range(20)]  # use up the free inodes
    last = sandbox.rows()[-1]
    assert sandbox.undo(last).failed == []
    assert sandbox.undo().failed == []
    for other in held:
        other.unlink()
    assert file.exists() and sandbox.tree() == before


names = st.integers(0, 11)


@given(st.lists(st.tuples(names, names), max_size=30))
def test_order_contains_each_file_after_its_blocker(pairs: list[tuple[int, int]]) -> None:
    links = [MoveLink(str(old), str(new), True) for old, new in dict(pairs).items()]
    order = order_moves(links)
    assert sorted(order.sequence) == list(range(len(links)))
    place = {number: at for at, number in enumerate(order.sequence)}
    moving = [number for number, link in enumerate(links) if link.source != link.target]
    holder = {links[number].source: number for number in moving}
    for number in moving:
        other = holder.get(links[number].target)
        if other is not None and place[other] > place[number]:
            assert order.parking[number] == other
    cut = list(batches(order, 2))
    assert [number for batch in cut for number in batch] == order.sequence
    for batch in cut:
        assert all(order.parking[number] in batch for number in batch if number in order.parking)


PLACES = [f"{top}/{folder}{name}.mkv" for top in "ndf" for folder in ("", "s/") for name in "ab"]
steps = st.tuples(
    st.sampled_from(PLACES),
    st.sampled_from(PLACES),
    st.sampled_from(["move", "move", "move", "copy", "hardlink"]),
    st.sampled_from(["skip", "overwrite", "suffix", "keep_better"]),
)
plans = st.lists(steps, min_size=1, max_size=8, unique_by=lambda step: step[0])


@settings(max_examples=examples(60))
@given(st.sets(st.sampled_from(PLACES), min_size=1), plans, plans)
def test_undo_restores_every_path_content_and_time(
    files: set[str], first: list[tuple[str, ...]], second: list[tuple[str, ...]]
) -> None:
    with tempfile.TemporaryDirectory() as base, move_sandbox_at(Path(base)) as sandbox:
        tops = {"n": sandbox.library, "d": sandbox.downloads, "f": sandbox.far}

        def path(text: str) -> Path:
            return tops[text[0]] / text[2:]

        for number, text in enumerate(sorted(files)):
            path(text).parent.mkdir(exist_ok=True)
            path(text).write_text(text)
            os.utime(path(text), ns=(number, number * 1_000_000_007))
        before = sandbox.tree()
        contents = sorted(content for content, _ in before.values())
        for plan in (first, second):
            sandbox.run(
                *(
                    Step(str(path(old)), str(path(new)), None, *rest)  # type: ignore[arg-type]
                    for old, new, *rest in plan
                ),
                better=lambda new, old: new > old,
            )
            kept = {content for content, _ in sandbox.tree().values()}
            assert kept == set(contents)
        undone = sandbox.undo()
        assert undone.failed == []
        assert sandbox.tree() == before
