"""Finds the ignore patterns in folders that are about to be shared."""

import asyncio

from quartet.sync.agents.questions import Questions
from quartet.sync.agents.types import FoundPatterns
from quartet.sync.config.service.revisions import Revisions
from quartet.sync.config.types.shares import Draft, ShareChange


class Adoption:
    def __init__(self, revisions: Revisions, questions: Questions) -> None:
        self._revisions = revisions
        self._questions = questions

    async def find(self, draft: Draft) -> list[FoundPatterns]:
        """Return the patterns that connected devices have in the new folders of a draft."""
        config = self._revisions.current
        known = {(share.folder_id, share.device_id): share.path for share in config.shares}
        new = [
            each
            for each in draft.changes
            if each.path and known.get((each.folder_id, each.device_id)) != each.path
        ]
        found = await asyncio.gather(*(self._ask(each) for each in new))
        return [each for each in found if each.patterns]

    async def _ask(self, change: ShareChange) -> FoundPatterns:
        lines = await self._questions.list_patterns(change.device_id, change.path or "")
        folder = self._revisions.current.folders.get(change.folder_id)
        wanted = [*(folder.ignore_patterns if folder else []), *(change.ignore_patterns or [])]
        patterns = [line for line in lines if line not in wanted and not line.startswith("//")]
        return FoundPatterns(change.folder_id, change.device_id, patterns)
