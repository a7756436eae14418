"""Runs scripts of the operator after a job."""

import asyncio
import logging
import os
import stat
import time
from pathlib import Path

import msgspec

from quartet.kernel.errors import AppError
from quartet.kernel.scripts import log_output, run_script
from quartet.media.notify.types import Script, WebhookMessage

log = logging.getLogger("quartet.media.scripts")


class ScriptFolder:
    """The folder whose executable files may be run. Only the operator can choose it."""

    def __init__(self, folder: Path | None) -> None:
        self._folder = folder

    def names(self) -> list[str]:
        if self._folder is None:
            return []
        try:
            found = sorted(self._folder.iterdir())
        except OSError as error:
            log.warning("folder of scripts cannot be read: %s", error)
            return []
        return [path.name for path in found if _is_script(path)]

    def find(self, name: str) -> Path:
        path = self._folder / name if self._folder else None
        if path is None or name in (".", "..") or "/" in name or not _is_script(path):
            raise AppError(400, "script_not_found", name=name)
        return path.resolve()

    async def run(self, script: Script, message: WebhookMessage) -> None:
        """Run a script without a shell and log its output; raise if it failed."""
        path = await asyncio.to_thread(self.find, script.name)
        started = time.monotonic()
        try:
            code, output = await run_script(path, msgspec.json.encode(message), script.seconds)
        except OSError as error:
            raise AppError(502, "script_failed", name=script.name, code=error.errno or 0) from error
        log_output(log, script.name, output)
        if code is None:
            raise AppError(502, "script_timeout", name=script.name, seconds=script.seconds)
        if code:
            raise AppError(502, "script_failed", name=script.name, code=code)
        seconds = time.monotonic() - started
        log.info("script %s for job %d ended after %.1f s", script.name, message.job_id, seconds)


def _is_script(path: Path) -> bool:
    """A link would run a file that is outside of the folder."""
    try:
        found = path.lstat()
    except (OSError, ValueError):
        return False
    return stat.S_ISREG(found.st_mode) and os.access(path, os.X_OK)
