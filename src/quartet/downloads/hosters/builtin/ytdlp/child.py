"""One question to the program, and its answer."""

import asyncio
from collections.abc import Sequence
from typing import Any

import msgspec

from quartet.downloads.processes import end

_LONGEST_ANSWER = 16 * 1024 * 1024


async def ask(command: Sequence[str], request: dict[str, Any]) -> dict[str, Any]:
    """Ends the program, and what it has started, when nobody waits for it any more."""
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
        end(process)
        await process.wait()
    try:
        answer = msgspec.json.decode(written.rstrip().rpartition(b"\n")[2])
    except msgspec.MsgspecError:
        return {}
    return answer if isinstance(answer, dict) else {}
