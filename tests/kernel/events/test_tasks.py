"""Tasks that reload something after a signal."""

import asyncio

import pytest

from quartet.kernel.errors import AppError
from quartet.kernel.events import EventHub, Resync, Signal, backend_from_url
from quartet.kernel.events.tasks import reload_task

pytestmark = pytest.mark.anyio


async def test_reload_is_repeated_after_failure() -> None:
    hub = EventHub(backend_from_url(None, "tasks"))
    outcomes = asyncio.Queue[str]()
    failing = True

    async def reload() -> None:
        outcomes.put_nowait("failed" if failing else "loaded")
        if failing:
            raise AppError(503, "database_unavailable", seconds=5)

    task = reload_task("topic", hub, reload)
    hub.publish_locally(Signal("other"))
    hub.publish_locally(Signal("topic"))
    with pytest.raises(AppError):
        await task.run()
    failing = False
    running = asyncio.ensure_future(task.run())
    assert [await outcomes.get(), await outcomes.get()] == ["failed", "loaded"]
    hub.publish_locally(Resync())
    assert await outcomes.get() == "loaded"
    running.cancel()
    await asyncio.wait([running])
