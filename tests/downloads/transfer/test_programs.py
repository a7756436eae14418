"""External programs that fetch files."""

import asyncio
import sys
import textwrap
from contextlib import suppress
from pathlib import Path

import pytest

from quartet.downloads.hosters.builtin.ytdlp.child import ask
from quartet.downloads.transfer import (
    ExternalProgram,
    Failed,
    Finished,
    Job,
    Outcome,
    Paused,
    Programs,
)

pytestmark = pytest.mark.anyio

HEAD = """
import json, pathlib, sys
asked = json.loads(sys.stdin.readline())
file = pathlib.Path(asked["folder"]) / "film.bin"
def tell(**events):
    print(json.dumps(events), flush=True)
"""


class Stage:
    def __init__(self, folder: Path, text: str) -> None:
        self.part = folder / "1.part"
        self.programs = Programs(reserve=0)
        command = [sys.executable, "-c", HEAD + textwrap.dedent(text)]
        self.program = ExternalProgram(command, '{"colour": "red"}')

    async def fetch(self, limit: int = 0) -> Outcome:
        job = Job(id=1, url="https://films.invalid/", part=self.part, program=self.program)
        return await self.programs.fetch(job, self.program, limit)

    async def until_done(self, done: int) -> None:
        async with asyncio.timeout(60):
            while not any(each.bytes_done == done for each in self.programs.snapshots()):
                await asyncio.sleep(0.01)


async def test_file_of_program_becomes_part_file(tmp_path: Path) -> None:
    stage = Stage(
        tmp_path,
        """
        file.write_text(asked["colour"])
        tell(done=3, size=3)
        tell(result={"file": str(file)})
        """,
    )
    assert await stage.fetch() == Finished(1, 3, None)
    assert stage.part.read_text() == "red"
    assert list(tmp_path.iterdir()) == [stage.part]
    assert not stage.programs._wanted


async def test_limit_can_change_while_program_runs(tmp_path: Path) -> None:
    stage = Stage(
        tmp_path,
        """
        tell(done=asked["limit"])
        tell(done=json.loads(sys.stdin.readline())["limit"])
        file.touch()
        tell(result={"file": str(file)})
        """,
    )
    fetching = asyncio.create_task(stage.fetch(limit=1000))
    await stage.until_done(1000)
    stage.programs.limit(lambda job: 2000 * job.id)
    assert isinstance(await fetching, Finished)


async def test_paused_program_keeps_its_files(tmp_path: Path) -> None:
    stage = Stage(tmp_path, "file.touch(); tell(done=7); sys.stdin.read()")
    fetching = asyncio.create_task(stage.fetch())
    await stage.until_done(7)
    stage.programs.pause(1)
    assert await fetching == Paused(1)
    assert [path.name for path in (tmp_path / "1.part.d").iterdir()] == ["film.bin"]


async def test_pause_while_program_starts(tmp_path: Path) -> None:
    stage = Stage(tmp_path, "sys.stdin.read()")
    fetching = asyncio.create_task(stage.fetch())
    await asyncio.sleep(0)
    stage.programs.pause(1)
    assert await asyncio.wait_for(fetching, 20) == Paused(1)


@pytest.mark.parametrize(
    ("text", "code", "retryable"),
    [
        ("sys.exit(3)", "program_failed", True),
        ("print('nonsense')", "program_failed", True),
        ("tell(result={'file': '/etc/passwd'})", "program_failed", True),
        ("tell(error={'kind': 'final', 'text': 'No.'})", "program_failed", False),
        ("tell(error={'kind': 'passing'})", "program_failed", True),
        ("tell(error={'kind': 'disk', 'number': 28})", "disk_full", False),
    ],
)
async def test_failures_of_program(tmp_path: Path, text: str, code: str, retryable: bool) -> None:
    outcome = await Stage(tmp_path, text).fetch()
    assert isinstance(outcome, Failed)
    assert (outcome.problem.code, outcome.retryable) == (code, retryable)


LEAVES_SOMEBODY = """
import subprocess
outputs = {"same": None, "none": subprocess.DEVNULL}
sleeping = subprocess.Popen(["sleep", "60"], stdin=subprocess.DEVNULL, stdout=outputs["%s"])
"""


async def ends(id: int) -> None:
    """Wait until the process has ended; its parent may still have to reap it."""
    async with asyncio.timeout(60):
        with suppress(FileNotFoundError):
            while Path(f"/proc/{id}/stat").read_text().rpartition(")")[2].split()[0] != "Z":
                await asyncio.sleep(0.01)


@pytest.mark.parametrize("output", ["same", "none"])
async def test_child_processes_end_when_paused(tmp_path: Path, output: str) -> None:
    text = LEAVES_SOMEBODY % output + "tell(done=1, size=sleeping.pid); sys.stdin.read()"
    stage = Stage(tmp_path, text)
    fetching = asyncio.create_task(stage.fetch())
    await stage.until_done(1)
    [running] = stage.programs.snapshots()
    stage.programs.pause(1)
    async with asyncio.timeout(60):
        assert await fetching == Paused(1)
    await ends(running.size or 0)


async def test_child_processes_end_after_program(tmp_path: Path) -> None:
    text = LEAVES_SOMEBODY % "none" + "tell(error={'text': str(sleeping.pid)})"
    outcome = await Stage(tmp_path, text).fetch()
    assert isinstance(outcome, Failed)
    await ends(int(str(outcome.problem.inputs["text"])))


async def test_child_processes_of_request_end() -> None:
    text = "import json" + LEAVES_SOMEBODY % "none" + "print(json.dumps({'id': sleeping.pid}))"
    answer = await ask([sys.executable, "-c", text], {})
    await ends(answer["id"])
