"""Files that take each other's names."""

import os
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quartet.kernel.files import syscalls
from quartet.media.moves.order import Link, batches, ordered
from quartet.media.moves.types import Step
from tests.media.house import House, codes, house_at


def rename(house: House, pairs: dict[str, str]) -> list[str | None]:
    """Each file holds its old name."""
    for name in pairs:
        house.file(f"library/{name}.mkv", name)
    steps = [
        house.step(f"library/{old}.mkv", f"library/{new}.mkv", on_conflict="overwrite")
        for old, new in pairs.items()
    ]
    return codes(house.run(*steps))


# Hostile case 7
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
def test_names_are_passed_on_without_a_loss(house: House, pairs: dict[str, str]) -> None:
    assert rename(house, pairs) == [None] * len(pairs)
    expected = {f"{new}.mkv": old for old, new in pairs.items()}
    found = {path.name: path.read_text() for path in house.library.iterdir()}
    assert found == expected
    assert len(house.undo().undone) == len(pairs)
    found = {path.name: path.read_text() for path in house.library.iterdir()}
    assert found == {f"{name}.mkv": name for name in pairs}


# Hostile case 7
def test_onto_itself_nothing_happens(house: House) -> None:
    assert rename(house, {"a": "a"}) == ["same_path"]
    assert house.rows() == []


# Hostile case 7, on disks that do not know no-replace
def test_a_swap_without_renameat2(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    def unsupported(*_: object) -> None:
        raise OSError(95, "")

    monkeypatch.setattr(syscalls, "renameat2", unsupported)
    assert rename(house, {"a": "b", "b": "a"}) == [None, None]
    assert (house.library / "a.mkv").read_text() == "b"


def test_whoever_waits_for_a_file_that_stays_does_not_replace_it(house: House) -> None:
    house.file("library/a.mkv", "a")
    house.file("library/b.mkv", "b")
    house.file("library/c.mkv", "c")
    report = house.run(
        house.step("library/a.mkv", "library/b.mkv", on_conflict="overwrite"),
        house.step("library/b.mkv", "library/c.mkv", on_conflict="skip"),
    )
    assert codes(report) == ["target_in_use", "already_exists"]
    assert [path.read_text() for path in sorted(house.library.iterdir())] == ["a", "b", "c"]


def test_a_swap_across_disks(house: House) -> None:
    near, far = house.library / "a.mkv", house.far / "b.mkv"
    near.write_text("near")
    far.write_text("far")
    before = house.tree()
    report = house.run(Step(str(near), str(far)), Step(str(far), str(near)))
    assert codes(report) == [None, None]
    assert (near.read_text(), far.read_text()) == ("far", "near")
    assert len(house.undo().undone) == 2
    assert house.tree() == before


def test_a_ring_is_finished_although_somebody_cancels(house: House) -> None:
    for name in "abc":
        house.file(f"library/{name}.mkv", name)
    asked: list[int] = []

    def cancelled() -> bool:
        asked.append(1)
        return len(asked) > 1

    report = house.run(
        *(house.step(f"library/{a}.mkv", f"library/{b}.mkv") for a, b in ("ab", "ba")),
        house.step("library/c.mkv", "library/d.mkv"),
        cancelled=cancelled,
    )
    assert codes(report) == [None, None, "cancelled"]
    assert (house.library / "a.mkv").read_text() == "b"
    assert (house.library / "c.mkv").exists()


def test_folders_go_after_what_is_in_them(house: House) -> None:
    house.file("library/Show/Season 1/e1.mkv", "1")
    house.file("library/Other/x.mkv", "x")
    before = house.tree()
    report = house.run(
        house.step("library/Show", "library/Other"),
        house.step("library/Other", "library/Show"),
        house.step("library/Show/Season 1", "library/Show/Season 01"),
        house.step("library/Show/Season 1/e1.mkv", "library/Show/Season 1/S01E01.mkv"),
    )
    assert codes(report) == [None] * 4
    assert (house.library / "Other/Season 01/S01E01.mkv").read_text() == "1"
    assert (house.library / "Show/x.mkv").read_text() == "x"
    assert len(house.undo().undone) == 4
    assert house.tree() == before


def test_a_folder_does_not_go_into_itself(house: House) -> None:
    house.file("library/Show/e1.mkv")
    report = house.run(house.step("library/Show", "library/Show/Show"))
    assert codes(report) == ["move_into_itself"]


def test_a_file_copied_back_is_still_known_to_what_was_done_before(house: House) -> None:
    file = house.file("downloads/a.mkv")
    before = house.tree()
    house.run(house.step("downloads/a.mkv", "library/a.mkv"))
    house.run(Step(str(house.library / "a.mkv"), str(house.far / "a.mkv")))
    held = [house.file(f"downloads/{number}") for number in range(20)]  # takes the free inodes
    last = house.rows()[-1]
    assert house.undo(last).failed == []
    assert house.undo().failed == []
    for other in held:
        other.unlink()
    assert file.exists() and house.tree() == before


names = st.integers(0, 11)


@given(st.lists(st.tuples(names, names), max_size=30))
def test_every_file_comes_once_and_after_whom_it_waits_for(pairs: list[tuple[int, int]]) -> None:
    links = [Link(str(old), str(new), True) for old, new in dict(pairs).items()]
    order = ordered(links)
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


@settings(max_examples=60)
@given(st.sets(st.sampled_from(PLACES), min_size=1), plans, plans)
def test_whatever_was_planned_undo_restores_every_path_content_and_time(
    files: set[str], first: list[tuple[str, ...]], second: list[tuple[str, ...]]
) -> None:
    with tempfile.TemporaryDirectory() as base, house_at(Path(base)) as house:
        tops = {"n": house.library, "d": house.downloads, "f": house.far}

        def path(text: str) -> Path:
            return tops[text[0]] / text[2:]

        for number, text in enumerate(sorted(files)):
            path(text).parent.mkdir(exist_ok=True)
            path(text).write_text(text)
            os.utime(path(text), ns=(number, number * 1_000_000_007))
        before = house.tree()
        contents = sorted(content for content, _ in before.values())
        for plan in (first, second):
            house.run(
                *(
                    Step(str(path(old)), str(path(new)), None, *rest)  # type: ignore[arg-type]
                    for old, new, *rest in plan
                ),
                better=lambda new, old: new > old,
            )
            kept = {content for content, _ in house.tree().values()}
            assert kept == set(contents)
        undone = house.undo()
        assert undone.failed == []
        assert house.tree() == before
