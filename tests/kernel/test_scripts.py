"""Programs of the operator."""

import os
from pathlib import Path

import pytest

from quartet.kernel import scripts
from quartet.kernel.scripts import run_script

pytestmark = pytest.mark.anyio


class EndedPipe:
    """The input of a program that has ended, as uvloop has it."""

    closed = False

    def write(self, _data: bytes) -> None:
        raise RuntimeError("unable to perform operation; the handler is closed")

    def close(self) -> None:
        self.closed = True


async def test_program_may_end_before_it_gets_its_input() -> None:
    pipe = EndedPipe()
    await scripts._send(pipe, b"message")  # type: ignore[arg-type]
    assert pipe.closed


async def test_program_gets_arguments_and_message_but_no_secrets(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DOWNLOADS_DLC_APP_KEY", "secret")
    program = tmp_path / "show.sh"
    program.write_text('#!/bin/sh\necho "$1|$2|$DOWNLOADS_DLC_APP_KEY|$PATH"; cat; exit 7\n')
    program.chmod(0o755)
    code, output = await run_script(program, b"{}", 60, ["a b", "*"])
    assert (code, output.decode()) == (7, f"a b|*||{os.environ['PATH']}\n{{}}")


async def test_program_that_takes_too_long_is_ended_with_its_children(tmp_path: Path) -> None:
    program = tmp_path / "slow.sh"
    program.write_text("#!/bin/sh\necho begun; sleep 600\n")
    program.chmod(0o755)
    code, output = await run_script(program, b"", 0.5)
    assert code is None
    assert output in (b"begun\n", b"")
