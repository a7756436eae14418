import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec

from quartet.kernel.db import Tx
from quartet.kernel.errors import AppError
from quartet.kernel.service import Kernel
from quartet.kernel.user_patterns import UserPatterns
from quartet.media.probe.service import Prober
from quartet.media.roots.service import Folders
from quartet.media.rules import store
from quartet.media.rules.preview import preview
from quartet.media.rules.rule_files import files_at
from quartet.media.rules.types import (
    File,
    Metadata,
    NewRuleSet,
    Rule,
    RuleSet,
    RulesPreview,
    RulesPreviewRequest,
)


class RuleSets:
    def __init__(self, kernel: Kernel[Any], folders: Folders, prober: Prober) -> None:
        self._db = kernel.db
        self._folders = folders
        self._prober = prober
        self.patterns = UserPatterns()

    async def all(self) -> list[RuleSet]:
        return await self._db.read(store.every)

    async def add(self, given: NewRuleSet) -> RuleSet:
        def work(tx: Tx) -> RuleSet:
            _require_unique(tx, given.name)
            return RuleSet(store.add(tx.conn, given), given.name, given.rules)

        return await self._db.write(work)

    async def change(self, id: int, given: NewRuleSet) -> RuleSet:
        def work(tx: Tx) -> RuleSet:
            _require_unique(tx, given.name, except_id=id)
            if not _is_valid_id(id) or not store.change(tx.conn, id, given):
                raise AppError(404, "rule_set_not_found", id=id)
            return RuleSet(id, given.name, given.rules)

        return await self._db.write(work)

    async def remove(self, id: int) -> None:
        def work(tx: Tx) -> None:
            if not _is_valid_id(id) or not store.remove(tx.conn, id):
                raise AppError(404, "rule_set_not_found", id=id)

        await self._db.write(work)

    async def exported(self, id: int) -> str:
        found = await self._db.read(store.find, id) if _is_valid_id(id) else None
        if found is None:
            raise AppError(404, "rule_set_not_found", id=id)
        from quartet.media.rules.yaml_files import to_yaml

        return to_yaml(NewRuleSet(found.name, found.rules))

    async def imported(self, text: str) -> RuleSet:
        from quartet.media.rules.yaml_files import from_yaml

        return await self.add(await asyncio.to_thread(from_yaml, text))

    async def preview(self, given: RulesPreviewRequest) -> RulesPreview:
        files = await self.files(given.rules, given.paths)
        return await asyncio.to_thread(preview, given.rules, files, self.patterns)

    async def files(self, rules: Sequence[Rule], paths: Sequence[str]) -> list[File]:
        """Return the files with the data the rules need; tags are read only if a rule uses them."""
        files = await asyncio.to_thread(files_at, await self._folders.access(), paths)
        if not any(isinstance(rule, Metadata) and rule.enabled for rule in rules):
            return files
        return list(await asyncio.gather(*(self._with_tags(file) for file in files)))

    async def _with_tags(self, file: File) -> File:
        probed = None if file.is_folder else await self._prober.probe(Path(file.folder, file.name))
        return msgspec.structs.replace(file, tags=probed.tags) if probed else file


def _is_valid_id(id: int) -> bool:
    """Return True if the id fits a database integer."""
    return -(2**63) <= id < 2**63


def _require_unique(tx: Tx, name: str, except_id: int | None = None) -> None:
    known = store.named(tx.conn, name)
    if known is not None and known != except_id:
        raise AppError(409, "rule_set_known", name=name)
