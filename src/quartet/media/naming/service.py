import asyncio
import secrets
from collections.abc import Callable
from typing import Any

from quartet.kernel.db import Tx
from quartet.kernel.errors import AppError, problem_of
from quartet.kernel.service import Kernel
from quartet.media.naming import store
from quartet.media.naming.detect import detect
from quartet.media.naming.examples import examples, token_examples
from quartet.media.naming.library_scan import videos_in
from quartet.media.naming.presets import PRESETS
from quartet.media.naming.render import render
from quartet.media.naming.template import compile_template
from quartet.media.naming.types import (
    Detected,
    DetectRequest,
    Example,
    Format,
    FormatPreview,
    FormatPreviewRequest,
    ImportedFormat,
    NewFormat,
    SchemeImport,
)
from quartet.media.roots.service import Folders
from quartet.media.types import FormatKind

# Raises in the transaction that removes a name format if the format is still in use.
RemovalGuard = Callable[[Tx, str], None]

_BUILT_IN = {preset.id: preset for preset in PRESETS}
_DEFAULTS: dict[FormatKind, str] = {
    "movie": "jellyfin-movie",
    "series": "jellyfin-series",
    "music": "albums",
    "photos": "months",
}


class Formats:
    def __init__(self, kernel: Kernel[Any], folders: Folders) -> None:
        self._db = kernel.db
        self._folders = folders
        self.guards: list[RemovalGuard] = []

    async def all(self) -> list[Format]:
        return [*PRESETS, *await self._db.read(store.saved)]

    async def find(self, id: str) -> Format:
        if id in _BUILT_IN:
            return _BUILT_IN[id]
        return _found(await self._db.read(store.find, id), id)

    async def template(self, id: str | None, kind: FormatKind) -> str:
        """Return the format's template, or the default if the format is gone or of another kind."""
        format = _BUILT_IN.get(id or "") or await self._db.read(store.find, id or "")
        fitting = format if format and format.kind == kind else _BUILT_IN[_DEFAULTS[kind]]
        return fitting.template

    async def detect(self, given: DetectRequest) -> Detected:
        """Detect how the files of an existing library were named."""
        paths = given.paths
        if given.folder:
            access = await self._folders.access()
            paths = await asyncio.to_thread(lambda: list(videos_in(access, given.folder)))
        found = detect(paths)
        if found is None:
            raise AppError(400, "no_videos")
        return found

    async def add(self, given: NewFormat) -> Format:
        compile_template(given.template)
        id = f"f-{secrets.token_hex(6)}"
        await self._db.write(lambda tx: store.add(tx.conn, id, given))
        return _format(id, given)

    async def change(self, id: str, given: NewFormat) -> Format:
        _refuse_built_in(id)
        compile_template(given.template)

        def work(tx: Tx) -> Format:
            changed = store.change(tx.conn, id, given)
            return _found(_format(id, given) if changed else None, id)

        return await self._db.write(work)

    async def remove(self, id: str) -> None:
        _refuse_built_in(id)

        def work(tx: Tx) -> None:
            for guard in self.guards:
                guard(tx, id)
            if not store.remove(tx.conn, id):
                raise AppError(404, "format_not_found", id=id)

        await self._db.write(work)


def preview(given: FormatPreviewRequest) -> FormatPreview:
    try:
        shown = [
            Example(source, render(given.template, facts)) for source, facts in examples(given.kind)
        ]
    except AppError as error:
        return FormatPreview([], token_examples(given.kind), problem_of(error))
    return FormatPreview(shown, token_examples(given.kind))


def import_scheme(given: SchemeImport) -> ImportedFormat:
    # Imported here because few users import a scheme.
    from quartet.media.naming.schemes.translate import translate_scheme

    return translate_scheme(given)


def _format(id: str, given: NewFormat) -> Format:
    return Format(id, given.name, given.kind, given.template)


def _found(format: Format | None, id: str) -> Format:
    if format is None:
        raise AppError(404, "format_not_found", id=id)
    return format


def _refuse_built_in(id: str) -> None:
    if id in _BUILT_IN:
        raise AppError(409, "format_built_in", id=id)
