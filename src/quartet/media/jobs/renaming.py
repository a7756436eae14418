"""Rule mode: the rules go over all items of a job at once, because some of them count."""

import asyncio
from collections.abc import Sequence

from quartet.kernel.db import Database
from quartet.kernel.errors import AppError
from quartet.media.jobs import item_store
from quartet.media.jobs.board import save_items
from quartet.media.jobs.layout import Layout
from quartet.media.jobs.rows import ItemRow, JobRow
from quartet.media.jobs.settling import Exists, aim, settle
from quartet.media.jobs.types import JobConfig
from quartet.media.roots.texts import path_text
from quartet.media.rules.apply import renamed
from quartet.media.rules.service import RuleSets
from quartet.media.rules.types import File, Rule

# More than any job has.
_ALL = 10_000_000


class Renaming:
    def __init__(self, db: Database, rule_sets: RuleSets) -> None:
        self._db = db
        self._rule_sets = rule_sets

    async def rules(self, config: JobConfig) -> Sequence[Rule]:
        if config.rule_set is None:
            return config.rules
        for one in await self._rule_sets.all():
            if one.id == config.rule_set:
                return one.rules
        raise AppError(404, "rule_set_not_found", id=config.rule_set)

    async def run(self, job: JobRow, layout: Layout, exists: Exists) -> None:
        rules = await self.rules(job.config)
        all_items = await self._db.read(item_store.chunk, job.id, 0, _ALL)
        items = [item for item in all_items if item.state != "done"]
        if job.config.mode == "both":
            items = [item for item in items if item.target and not item.override_target]
            files = [_as_named(item) for item in items]
        else:
            files = await self._rule_sets.files(rules, [path_text(one.source) for one in items])
        await asyncio.to_thread(_aim, items, files, rules, layout, exists)
        await self._db.write(save_items, job.id, items)


def _aim(
    items: Sequence[ItemRow],
    files: Sequence[File],
    rules: Sequence[Rule],
    layout: Layout,
    exists: Exists,
) -> None:
    leaving = {item.source for item in items}
    for item, file, name in zip(items, files, renamed(rules, files), strict=True):
        if layout.config.mode == "rules":
            # Nothing was guessed.
            item.confidence = 1.0
            aim(item, layout, f"{layout.base(item)}/{name}")
        else:
            aim(item, layout, f"{file.folder}/{name}")
        settle(item, layout, lambda path: path not in leaving and exists(path))


def _as_named(item: ItemRow) -> File:
    """As if it had the name the template gave it."""
    folder, _, name = (item.target or "").rpartition("/")
    modified = item.mtime_ns / 1e9
    return File(folder=folder, name=name, modified=modified, created=modified)
