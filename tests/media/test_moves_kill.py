"""Hostile case 3: kill -9 at any point loses nothing, doubles nothing, and the history is true."""

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

from tests.media.house import House
from tests.media.moves_victim import prepare
from tests.prerequisites import second_file_system
from tests.process import ROOT

KILLS = int(os.environ.get("MEDIA_KILLS", "10"))


@contextmanager
def victims(house: House) -> Iterator["subprocess.Popen[str]"]:
    """One process that forks all of them, since to import takes longer than they live."""
    command = [sys.executable, "-m", "tests.media.moves_victim", str(house.base), str(house.far)]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, cwd=ROOT, stdin=pipe, stdout=pipe, text=True) as process:
        yield process


def kill_while_working(process: "subprocess.Popen[str]", after: float) -> None:
    assert process.stdin and process.stdout
    process.stdin.write("\n")
    process.stdin.flush()
    victim = int(process.stdout.readline())
    time.sleep(after)  # the point of the test: nobody knows where it is by then
    os.kill(victim, signal.SIGKILL)
    assert process.stdout.readline() == "killed\n"


@pytest.mark.timeout(60 + 10 * KILLS)
def test_killed_at_random_points(tmp_path: Path) -> None:
    chance = random.Random(20)
    interrupted = 0
    with second_file_system(tmp_path) as far:
        house = House(tmp_path, far)
        prepare(house)
        before, tree = house.contents(), house.tree()
        with victims(house) as process:
            for _ in range(KILLS):
                kill_while_working(process, chance.uniform(0, 0.25))
                interrupted += house.reconcile()
                assert house.contents() == before
                house.check_history()
                if chance.random() < 0.5:
                    assert house.undo().failed == []
                    assert house.tree() == tree
        assert house.undo().failed == []
        assert house.tree() == tree
        house.db.close()
    assert interrupted > 0
