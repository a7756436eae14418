"""Runs the yt-dlp program for one request."""

import asyncio
from collections.abc import Sequence
from typing import Any

import msgspec

from quartet.downloads.processes import kill_group

_LONGEST_ANSWER = 16 * 1024 * 1024


async def ask(command: Sequence[str], request: dict[str, Any]) -> dict[str, Any]:
    """Run the program; its process group is killed if the caller is cancelled."""
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
        kill_group(process)
        await process.wait()
    try:
        answer = msgspec.json.decode(written.rstrip().rpartition(b"\n")[2])
    except msgspec.MsgspecError:
        return {}
    return answer if isinstance(answer, dict) else {}
