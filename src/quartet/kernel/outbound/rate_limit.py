"""Limits the requests per second to one host."""

import asyncio

_MANY_HOSTS = 1000


class HostRateLimit:
    def __init__(self, per_second: float | None) -> None:
        self._gap = 1 / per_second if per_second else 0.0
        self._next: dict[str, float] = {}

    async def wait_for_slot(self, host: str) -> None:
        """Wait until the host may be requested again."""
        if not self._gap:
            return
        now = asyncio.get_running_loop().time()
        slot = max(now, self._next.get(host, now))
        self._next[host] = slot + self._gap
        self._forget(now)
        if slot > now:
            await asyncio.sleep(slot - now)

    def _forget(self, now: float) -> None:
        if len(self._next) > _MANY_HOSTS:
            self._next = {host: free for host, free in self._next.items() if free > now}
