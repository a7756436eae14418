"""Lets devices scan their folders."""

from quartet.sync.agents.service import Agents
from quartet.sync.config.service.revisions import Revisions


class FolderScanner:
    def __init__(self, revisions: Revisions, agents: Agents) -> None:
        self._revisions = revisions
        self._agents = agents

    async def scan(self, folder: str, engine_id: str) -> int:
        """Return the number of the device's last change after the scan; 0 if it does not answer."""
        device_id = self._revisions.current.device_id_by_engine_id.get(engine_id, 0)
        if not self._agents.is_online(device_id):
            return 0
        return await self._agents.questions.scan(device_id, folder)
