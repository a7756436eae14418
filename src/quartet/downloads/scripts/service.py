import logging
from functools import partial

import msgspec

from quartet.downloads.scripts import store
from quartet.downloads.scripts.types import DueScript, FinishedPackage, Script
from quartet.downloads.settings import DownloadsSettings
from quartet.kernel.db import Tx
from quartet.kernel.errors import AppError, Problem
from quartet.kernel.log import problem_text
from quartet.kernel.service import Kernel

log = logging.getLogger("quartet.downloads.scripts")

# A script may copy the files; the next package waits.
LONGEST_SECONDS = 3600


class Scripts:
    """Runs the script of the operator for each finished package, one after the other.

    After a crash it may run again for the same package.
    """

    def __init__(self, kernel: Kernel[DownloadsSettings]) -> None:
        self._db = kernel.db
        script = kernel.settings.script
        self._path = script.absolute() if script else None
        self._done = kernel.settings.done_folder.absolute()
        self._error: Problem | None = None

    def shown(self) -> Script:
        return Script(str(self._path) if self._path else None, self._error)

    def on_complete(self, tx: Tx, package_id: int) -> None:
        if self._path:
            store.add(tx.conn, package_id)

    async def run_due(self) -> None:
        for due in await self._db.read(store.due):
            await self._run(self._message(due))
            await self._db.write(partial(_remove, due.id))

    async def test(self) -> None:
        if self._path is None:
            raise AppError(404, "no_script")
        due = DueScript(id=0, package_id=0, name="Test", target_dir="Test", files=[])
        await self._run(msgspec.structs.replace(self._message(due), event="test"))
        if self._error:
            raise AppError(502, self._error.code, **self._error.inputs)

    def _message(self, due: DueScript) -> FinishedPackage:
        return FinishedPackage(
            package_id=due.package_id,
            name=due.name,
            folder=str(self._done / due.target_dir),
            files=[str(self._done / file) for file in due.files],
            extract=due.extract,
            error=due.error,
        )

    async def _run(self, message: FinishedPackage) -> None:
        if self._path is None:
            return
        # Imported late, because few have a script.
        from quartet.kernel.scripts import log_output, run_script

        name, text = self._path.name, msgspec.json.encode(message)
        arguments = [message.folder, message.name]
        try:
            code, output = await run_script(self._path, text, LONGEST_SECONDS, arguments)
        except OSError as error:
            code, output = error.errno or 1, str(error).encode()
        log_output(log, name, output)
        self._error = _problem(name, code)
        if self._error:
            log.warning("%s (package %d)", problem_text(self._error), message.package_id)
        else:
            log.info("script %s ran for package %d", name, message.package_id)


def _remove(id: int, tx: Tx) -> None:
    store.remove(tx.conn, id)


def _problem(name: str, code: int | None) -> Problem | None:
    if code is None:
        return Problem("script_timeout", {"name": name, "seconds": LONGEST_SECONDS})
    return Problem("script_failed", {"name": name, "code": code}) if code else None
