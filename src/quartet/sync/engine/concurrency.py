import asyncio
from collections.abc import Coroutine
from typing import Any


async def run_until_first_exit(*works: Coroutine[Any, Any, None]) -> None:
    """Run all until the first one ends, re-raise its error and cancel the others."""
    tasks = [asyncio.create_task(work) for work in works]
    try:
        done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        for task in tasks:
            if task in done:
                task.result()
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
