"""SIGKILL at any moment does not change the resulting bytes."""

import random
import subprocess
import sys
import time
from pathlib import Path

from quartet.downloads.transfer import checkpoint
from tests.downloads.transfer.engine_bench import content
from tests.downloads.transfer.servers import Nginx
from tests.rounds import kill_rounds

ROOT = Path(__file__).parents[3]
KILLS = kill_rounds(16)


def test_download_survives_repeated_kills(web: Nginx, tmp_path: Path) -> None:
    files = {f"crash-{n}.bin": content(n * 2_500_000, seed=n) for n in (1, 2, 3)}
    for name, data in files.items():
        web.add(name, data)
    # With validators, and with only the bytes to compare.
    urls = [web.url(f"{('slow', 'bare')[n % 2]}/{name}") for n, name in enumerate(files)]
    # One of them is fetched from two mirrors, whose validators differ.
    urls[2] += " " + web.url("bare/crash-3.bin")
    chance = random.Random(12)
    resumed = 0
    for _ in range(KILLS):
        child = start(tmp_path, urls)
        time.sleep(chance.uniform(0.1, 0.9))
        child.kill()
        child.communicate()
        states = [checkpoint.load(tmp_path / f"{n}.part") for n in (1, 2, 3)]
        resumed += any(state is not None and state.spans[0][1] > 0 for state in states)
    assert resumed >= 3, "the kills came too early to prove anything"
    child = start(tmp_path, urls)
    assert child.communicate(timeout=60)[0] == "finished\n"
    for number, data in enumerate(files.values(), 1):
        assert (tmp_path / f"{number}.part").read_bytes() == data


def start(folder: Path, urls: list[str]) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "tests.downloads.transfer.crash_child", str(folder), *urls]
    child = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=ROOT)
    assert child.stdout
    assert child.stdout.readline() == "running\n"
    return child
