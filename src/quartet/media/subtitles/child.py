"""Runs the search in a child process, which may hang or use much memory."""

import asyncio
import sys
from asyncio.subprocess import DEVNULL, PIPE
from contextlib import suppress

import msgspec

from quartet.kernel.errors import AppError
from quartet.media.subtitles.types import SearchRequest, SearchResponse

_SECONDS_TO_START = 60
_SECONDS_PER_VIDEO = 60


async def search_in_child(request: SearchRequest) -> SearchResponse:
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "quartet.media.subtitles.worker",
        stdin=PIPE,
        stdout=PIPE,
        stderr=DEVNULL,
        # Ctrl+C in a terminal should reach only the parent, which stops its children.
        start_new_session=True,
    )
    seconds = _SECONDS_TO_START + _SECONDS_PER_VIDEO * len(request.videos)
    try:
        async with asyncio.timeout(seconds):
            output, _ = await process.communicate(msgspec.json.encode(request))
        return msgspec.json.decode(output, type=SearchResponse)
    except (TimeoutError, msgspec.MsgspecError) as error:
        raise AppError(502, "subtitles_unavailable") from error
    finally:
        with suppress(ProcessLookupError):
            process.kill()
        await process.wait()
