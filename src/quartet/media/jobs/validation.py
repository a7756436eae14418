"""Checks a new job's configuration and paths."""

import asyncio

from quartet.kernel.errors import AppError
from quartet.media.jobs.preview.rule_targets import RuleRenamer
from quartet.media.jobs.types import JobConfig
from quartet.media.naming.service import Formats
from quartet.media.naming.template import compile_template
from quartet.media.roots.folder_access import FolderAccess
from quartet.media.roots.path_encoding import decode_path


class JobValidator:
    def __init__(self, formats: Formats, rule_renamer: RuleRenamer) -> None:
        self._formats = formats
        self._rule_renamer = rule_renamer

    async def check_config(self, config: JobConfig, access: FolderAccess) -> None:
        for template in config.templates.given:
            compile_template(template)
        for id in config.formats.given:
            await self._formats.find(id)
        for target in (config.target, *config.targets.given):
            if target is not None:
                access.resolve(decode_path(target))
        if config.mode in ("rules", "both") and not await self._rule_renamer.rules(config):
            raise AppError(400, "rules_missing")

    async def check_paths(self, paths: list[str], access: FolderAccess) -> None:
        """Check the location first: errors must not reveal which files exist elsewhere."""
        locations = [access.resolve(decode_path(path)) for path in paths]

        def check_exists() -> None:
            for location in locations:
                access.require_present(location.root)
                location.root.stat(location.parts)

        await asyncio.to_thread(check_exists)
