"""One question to the program, and its answer."""

import asyncio
from collections.abc import Sequence
from typing import Any

import msgspec

_LONGEST_ANSWER = 16 * 1024 * 1024


async def ask(command: Sequence[str], request: dict[str, Any]) -> dict[str, Any]:
    """Ends the program when nobody waits for it any more."""
    process = await asyncio.create_subprocess_exec(
        *command,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
        start_new_session=True,
        limit=_LONGEST_ANSWER,
    )
    try:
        written, _ = await process.communicate(msgspec.json.encode(request) + b"\n")
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    try:
        answer = msgspec.json.decode(written.rstrip().rpartition(b"\n")[2])
    except msgspec.MsgspecError:
        return {}
    return answer if isinstance(answer, dict) else {}
