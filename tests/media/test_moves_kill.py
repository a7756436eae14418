"""Hostile case 3: kill -9 at any point loses nothing, doubles nothing, and the history is true."""

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.media.house import House
from tests.media.moves_victim import prepare
from tests.needs import second_disk

KILLS = int(os.environ.get("MEDIA_KILLS", "10"))


def kill_while_working(house: House, after: float) -> None:
    command = [sys.executable, "-m", "tests.media.moves_victim", str(house.base), str(house.far)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as victim:
        assert victim.stdin and victim.stdout
        assert victim.stdout.readline() == b"ready\n"
        victim.stdin.write(b"\n")
        victim.stdin.flush()
        time.sleep(after)  # the point of the test: nobody knows where it is by then
        assert victim.poll() is None
        victim.send_signal(signal.SIGKILL)


@pytest.mark.timeout(60 + 10 * KILLS)
def test_killed_at_random_points(tmp_path: Path) -> None:
    chance = random.Random(20)
    interrupted = 0
    with second_disk(tmp_path) as far:
        house = House(tmp_path, far)
        prepare(house)
        before, tree = house.contents(), house.tree()
        for _ in range(KILLS):
            kill_while_working(house, chance.uniform(0, 0.25))
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
