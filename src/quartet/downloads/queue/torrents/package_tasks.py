"""Tasks that run at most once at a time for each package."""

import asyncio
from collections.abc import Callable, Coroutine, Iterator
from typing import Any

_CLOSE_SECONDS = 1


class PackageTasks:
    """`on_end` is called with the package id after its task has ended."""

    def __init__(self, name: str, on_end: Callable[[int], None]) -> None:
        self._name = name
        self._on_end = on_end
        self._running: dict[int, asyncio.Task[None]] = {}

    def __len__(self) -> int:
        return len(self._running)

    def __iter__(self) -> Iterator[int]:
        return iter(self._running)

    def start(self, package_id: int, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(work, name=f"{self._name}-{package_id}")
        self._running[package_id] = task
        task.add_done_callback(lambda _task: self._ended(package_id))

    async def end(self, package_id: int, *, cancel: bool) -> None:
        """Wait until the task of the package has ended."""
        if task := self._running.get(package_id):
            if cancel:
                task.cancel()
            await asyncio.wait([task])

    async def close(self) -> None:
        for task in self._running.values():
            task.cancel()
        if self._running:
            await asyncio.wait(self._running.values(), timeout=_CLOSE_SECONDS)

    def _ended(self, package_id: int) -> None:
        del self._running[package_id]
        self._on_end(package_id)
