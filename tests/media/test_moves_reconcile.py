"""The power goes out before each single thing that is done to disk or journal."""

import errno
import os
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from quartet.kernel.db import Database
from quartet.kernel.files import syscalls
from quartet.media.moves import disk
from quartet.media.moves.types import Action, OnConflict, Plan, Step
from tests.media.house import House, house_at
from tests.media.moves_victim import plan, prepare

FILES = (1, 3)  # to the other disk and on this one, both over an old file


class PowerCut(BaseException):
    pass


def unsupported(*_: object) -> None:
    raise OSError(errno.EPERM, os.strerror(errno.EPERM))


@contextmanager
def power_until(count: int, *, by_hand: bool = False) -> Iterator[None]:
    """After so many changes there are no more, not even by what cleans up after an error.

    `by_hand` is a disk that renames by a link and an unlink.
    """
    done = [0]

    def powered(real: Callable[..., Any]) -> Callable[..., Any]:
        def call(*args: Any, **kwargs: Any) -> Any:
            if done[0] >= count:
                raise PowerCut
            done[0] += 1
            return real(*args, **kwargs)

        return call

    with pytest.MonkeyPatch.context() as patch:
        changes = [(os, name) for name in ("link", "unlink", "rmdir", "mkdir", "write", "fsync")]
        changes += [] if by_hand else [(disk, "rename_new")]
        for module, name in (*changes, (Database, "write_sync")):
            patch.setattr(module, name, powered(getattr(module, name)))
        if by_hand:
            patch.setattr(syscalls, "renameat2", unsupported)
        yield


def survives(house: House, act: Callable[[], object], count: int, by_hand: bool) -> bool:
    """Whether everything is as it should be after the start that follows; and if it was cut."""
    contents = house.contents()
    cut = False
    with power_until(count, by_hand=by_hand):
        try:
            act()
        except PowerCut:
            cut = True
    if cut:
        house.reconcile()
        assert house.reconcile() == 0
    after = house.contents()
    assert after == contents
    house.check_history()
    return cut


@pytest.mark.parametrize("by_hand", [False, True], ids=["at once", "by hand"])
@pytest.mark.parametrize("undoing", [False, True], ids=["executing", "undoing"])
def test_at_every_single_step(undoing: bool, by_hand: bool) -> None:
    count, cut = 0, True
    while cut:
        with tempfile.TemporaryDirectory() as base, house_at(Path(base)) as house:
            prepare(house, FILES)
            tree = house.tree()
            whole = plan(house, FILES)
            if undoing:
                house.run(*whole.steps)
                cut = survives(house, house.undo, count, by_hand)
            else:
                cut = survives(house, partial(house.run, *whole.steps), count, by_hand)
            assert house.undo().failed == []
            assert house.tree() == tree
            for folder in (house.library, house.far):
                assert not [name for name in house.names(folder) if ".quartet-" in name]
        count += 1
    assert count > 20


@pytest.mark.parametrize("action", ["copy", "hardlink"])
@pytest.mark.parametrize("policy", ["skip", "overwrite"])
@pytest.mark.parametrize("undoing", [False, True], ids=["executing", "undoing"])
def test_copies_and_links_at_every_single_step(
    action: Action, policy: OnConflict, undoing: bool
) -> None:
    count, cut = 0, True
    while cut:
        with tempfile.TemporaryDirectory() as base, house_at(Path(base)) as house:
            source = house.file("downloads/a.mkv", "new")
            if policy == "overwrite":
                house.file("library/a.mkv", "old")
            tree = house.tree()
            step = Step(str(source), str(house.library / "a.mkv"), 1, action, policy)
            cut = _copy_survives(house, Plan((step,)), undoing, count)
            assert house.undo().failed == []
            assert house.tree() == tree
        count += 1


def _copy_survives(house: House, one: Plan, undoing: bool, count: int) -> bool:
    act: Callable[[], object] = partial(house.run, *one.steps)
    if undoing:
        act()
        act = house.undo
    with power_until(count):
        try:
            act()
        except PowerCut:
            pass
        else:
            return False
    house.reconcile()
    house.check_history()
    return True
