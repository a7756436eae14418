"""A process killed at any point loses and duplicates nothing, and its history is correct."""

import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.media.move_sandbox import MoveSandbox
from tests.media.moves_kill_target import prepare
from tests.prerequisites import second_file_system
from tests.process import ROOT
from tests.rounds import kill_rounds

KILLS = kill_rounds(50)


@contextmanager
def kill_targets(sandbox: MoveSandbox) -> Iterator["subprocess.Popen[str]"]:
    """Start one process that forks all targets, because importing takes longer than they live."""
    command = [
        sys.executable,
        "-m",
        "tests.media.moves_kill_target",
        str(sandbox.base),
        str(sandbox.far),
    ]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, cwd=ROOT, stdin=pipe, stdout=pipe, text=True) as process:
        yield process


def kill_while_working(process: "subprocess.Popen[str]", after: float) -> None:
    assert process.stdin and process.stdout
    process.stdin.write("\n")
    process.stdin.flush()
    pid = int(process.stdout.readline())
    time.sleep(after)  # kill it at an arbitrary point
    os.kill(pid, signal.SIGKILL)
    assert process.stdout.readline() == "killed\n"


@pytest.mark.timeout(60 + 10 * KILLS)
def test_killed_at_random_points(tmp_path: Path) -> None:
    chance = random.Random(20)
    interrupted = 0
    with second_file_system(tmp_path) as far:
        sandbox = MoveSandbox(tmp_path, far)
        prepare(sandbox)
        before, tree = sandbox.contents(), sandbox.tree()
        with kill_targets(sandbox) as process:
            for _ in range(KILLS):
                kill_while_working(process, chance.uniform(0, 0.25))
                interrupted += sandbox.reconcile()
                assert sandbox.contents() == before
                sandbox.check_history()
                if chance.random() < 0.5:
                    assert sandbox.undo().failed == []
                    assert sandbox.tree() == tree
        assert sandbox.undo().failed == []
        assert sandbox.tree() == tree
        sandbox.db.close()
    assert interrupted > 0
