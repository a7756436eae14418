"""Applies rules to all items of a job at once, because some rules number the files."""

import asyncio
from collections.abc import Sequence

from quartet.kernel.db import Database
from quartet.kernel.errors import AppError
from quartet.media.jobs import store_items
from quartet.media.jobs.preview.item_state import Exists, set_target, update_state
from quartet.media.jobs.preview.target_layout import TargetLayout
from quartet.media.jobs.progress import save_items
from quartet.media.jobs.records import ItemRecord, JobRecord
from quartet.media.jobs.types import JobConfig
from quartet.media.roots.path_encoding import encode_path
from quartet.media.rules.apply import new_folders, new_names
from quartet.media.rules.service import RuleSets
from quartet.media.rules.types import File, Rule

# Larger than any job.
_ALL = 10_000_000


class RuleRenamer:
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

    async def run(self, job: JobRecord, layout: TargetLayout, exists: Exists) -> None:
        rules = await self.rules(job.config)
        all_items = await self._db.read(store_items.chunk, job.id, 0, _ALL)
        items = [item for item in all_items if item.state != "done"]
        if job.config.mode == "both":
            items = [item for item in items if item.target and not item.override_target]
            files = [_file_with_target_name(item) for item in items]
        else:
            files = await self._rule_sets.files(rules, [encode_path(one.source) for one in items])
        names = await asyncio.to_thread(new_names, rules, files, self._rule_sets.patterns)
        if job.config.mode == "rules" and not job.config.in_place:
            folders = new_folders(rules, files)
            names = [
                f"{folder}/{name}".lstrip("/") for folder, name in zip(folders, names, strict=True)
            ]
        await asyncio.to_thread(_set_rule_targets, items, files, names, layout, exists)
        await self._db.write(save_items, job.id, items)


def _set_rule_targets(
    items: Sequence[ItemRecord],
    files: Sequence[File],
    names: Sequence[str],
    layout: TargetLayout,
    exists: Exists,
) -> None:
    leaving = {item.source for item in items}
    for item, file, name in zip(items, files, names, strict=True):
        if layout.config.mode == "rules":
            # Rules need no guess, so there is nothing to doubt.
            item.confidence = 1.0
            set_target(item, layout, f"{layout.base(item)}/{name}")
        else:
            set_target(item, layout, f"{file.folder}/{name}")
        update_state(item, layout, lambda path: path not in leaving and exists(path))


def _file_with_target_name(item: ItemRecord) -> File:
    """Return the file as if it already had the name from its template."""
    folder, _, name = (item.target or "").rpartition("/")
    modified = item.mtime_ns / 1e9
    return File(folder=folder, name=name, modified=modified, created=modified)
