"""Determines the key in `jk`: usually a literal, otherwise the JavaScript is executed."""

import asyncio
import re
import sys
from pathlib import Path

from quartet.kernel.errors import AppError

LONGEST_SCRIPT = 65_536
START_SECONDS = 10.0
RUN_SECONDS = 2.0
AT_ONCE = 2

_CHILD = (sys.executable, "-I", str(Path(__file__).with_name("key_process.py")))
_HEX = re.compile(r"[0-9A-Fa-f]{32}")
# Possessive, because white space of a hostile page would be divided among all of them in turn.
_PLAIN = re.compile(
    r"""\s*+function\s++f\s*+\(\s*+\)\s*+\{\s*+return\s*+\(?\s*+(['"])([0-9A-Fa-f]{32})\1"""
    r"""(?P<reversed>\s*+\.split\(\s*+(?:''|"")\s*+\)\.reverse\(\)"""
    r"""\.join\(\s*+(?:''|"")\s*+\))?\s*+\)?\s*+;?\s*+\}\s*+;?\s*+"""
)


class Keys:
    def __init__(self) -> None:
        self._turn = asyncio.Semaphore(AT_ONCE)

    async def key(self, jk: str) -> bytes:
        """Return the 16-byte key."""
        text = plain_key(jk)
        if text is None and 0 < len(jk) <= LONGEST_SCRIPT:
            async with self._turn:
                text = await _run(jk)
        if text is None or not _HEX.fullmatch(text):
            raise AppError(400, "cnl_key_invalid")
        return bytes.fromhex(text)


def plain_key(jk: str) -> str | None:
    """Return a key that is written literally or reversed, as on most pages, without a process."""
    found = _PLAIN.fullmatch(jk) if len(jk) <= LONGEST_SCRIPT else None
    if found is None:
        return None
    text = found[2]
    return text[::-1] if found["reversed"] else text


async def _run(jk: str) -> str | None:
    process = await asyncio.create_subprocess_exec(
        *_CHILD,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
        cwd="/",
        env={},
        start_new_session=True,
    )
    try:
        return await _evaluate(process, jk)
    except (TimeoutError, OSError):
        return None
    finally:
        if process.returncode is None:
            process.kill()
        await process.wait()


async def _evaluate(process: asyncio.subprocess.Process, jk: str) -> str | None:
    if process.stdin is None or process.stdout is None:
        return None
    # Starting takes long on a busy machine, so it has its own time limit.
    async with asyncio.timeout(START_SECONDS):
        await process.stdout.readline()
    async with asyncio.timeout(RUN_SECONDS):
        process.stdin.write(jk.encode())
        process.stdin.close()
        answer = await process.stdout.read(64)
    return answer.decode("ascii", "replace").strip()
