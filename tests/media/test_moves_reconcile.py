"""Power cuts before every single change to disk or journal."""

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
from tests.media.move_sandbox import MoveSandbox, move_sandbox_at
from tests.media.moves_kill_target import plan, prepare

FILES = (1, 3)  # to the other disk and on this one, both replacing a file


class PowerCut(BaseException):
    pass


def unsupported(*_: object) -> None:
    raise OSError(errno.EPERM, os.strerror(errno.EPERM))


@contextmanager
def power_until(count: int, *, by_hand: bool = False) -> Iterator[None]:
    """Stop after this many changes; even error handling cannot change anything.

    `by_hand` simulates a disk where a rename is a link and an unlink.
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
        changes += [] if by_hand else [(disk, "rename_no_replace")]
        for module, name in (*changes, (Database, "write_sync")):
            patch.setattr(module, name, powered(getattr(module, name)))
        if by_hand:
            patch.setattr(syscalls, "renameat2", unsupported)
        yield


def is_interrupted_safely(
    sandbox: MoveSandbox, act: Callable[[], object], count: int, by_hand: bool
) -> bool:
    """Check the state after the following start; return whether it was interrupted."""
    contents = sandbox.contents()
    cut = False
    with power_until(count, by_hand=by_hand):
        try:
            act()
        except PowerCut:
            cut = True
    if cut:
        sandbox.reconcile()
        assert sandbox.reconcile() == 0
    after = sandbox.contents()
    assert after == contents
    sandbox.check_history()
    return cut


@pytest.mark.parametrize("by_hand", [False, True], ids=["at once", "by hand"])
@pytest.mark.parametrize("undoing", [False, True], ids=["executing", "undoing"])
def test_power_cut_at_every_step(undoing: bool, by_hand: bool) -> None:
    count, cut = 0, True
    while cut:
        with tempfile.TemporaryDirectory() as base, move_sandbox_at(Path(base)) as sandbox:
            prepare(sandbox, FILES)
            tree = sandbox.tree()
            whole = plan(sandbox, FILES)
            if undoing:
                sandbox.run(*whole.steps)
                cut = is_interrupted_safely(sandbox, sandbox.undo, count, by_hand)
            else:
                cut = is_interrupted_safely(
                    sandbox, partial(sandbox.run, *whole.steps), count, by_hand
                )
            assert sandbox.undo().failed == []
            assert sandbox.tree() == tree
            for folder in (sandbox.library, sandbox.far):
                assert not [name for name in sandbox.names(folder) if ".quartet-" in name]
        count += 1
    assert count > 20


@pytest.mark.parametrize("action", ["copy", "hardlink"])
@pytest.mark.parametrize("policy", ["skip", "overwrite"])
@pytest.mark.parametrize("undoing", [False, True], ids=["executing", "undoing"])
def test_power_cut_at_every_step_of_copies_and_links(
    action: Action, policy: OnConflict, undoing: bool
) -> None:
    count, cut = 0, True
    while cut:
        with tempfile.TemporaryDirectory() as base, move_sandbox_at(Path(base)) as sandbox:
            source = sandbox.file("downloads/a.mkv", "new")
            if policy == "overwrite":
                sandbox.file("library/a.mkv", "old")
            tree = sandbox.tree()
            step = Step(str(source), str(sandbox.library / "a.mkv"), 1, action, policy)
            cut = _copy_survives(sandbox, Plan((step,)), undoing, count)
            assert sandbox.undo().failed == []
            assert sandbox.tree() == tree
        count += 1


def _copy_survives(sandbox: MoveSandbox, one: Plan, undoing: bool, count: int) -> bool:
    act: Callable[[], object] = partial(sandbox.run, *one.steps)
    if undoing:
        act()
        act = sandbox.undo
    with power_until(count):
        try:
            act()
        except PowerCut:
            pass
        else:
            return False
    sandbox.reconcile()
    sandbox.check_history()
    return True
