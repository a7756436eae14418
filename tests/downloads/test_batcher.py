"""Batches of writes and moved files."""

import asyncio
from pathlib import Path

import pytest

from quartet.downloads.queue.batcher import Batcher
from quartet.downloads.queue.finish.done_folder import DoneFolder, OpenFolders

pytestmark = pytest.mark.anyio


@pytest.fixture
def batches() -> list[list[int]]:
    return []


def batcher(batches: list[list[int]], hurry: asyncio.Event) -> Batcher[int, int]:
    async def work(items: list[int]) -> list[int]:
        batches.append(items)
        return items

    return Batcher(work, seconds=60, hurry=hurry, most=3)


async def test_first_batch_starts_at_once_and_full_one_too(batches: list[list[int]]) -> None:
    some = batcher(batches, asyncio.Event())
    await some.do(1)
    await asyncio.gather(*(some.do(item) for item in (2, 3, 4)))
    assert batches == [[1], [2, 3, 4]]


async def test_hurry_starts_a_batch_that_waits(batches: list[list[int]]) -> None:
    hurry = asyncio.Event()
    some = batcher(batches, hurry)
    await some.do(1)
    left = some.put(2)
    await asyncio.sleep(0)
    assert batches == [[1]]
    hurry.set()
    assert await left == 2


def test_files_of_one_batch_get_different_names(tmp_path: Path) -> None:
    done = DoneFolder(tmp_path / "done")
    with OpenFolders() as opened:
        names = [done.free_path("P", "a.bin", opened) for _ in range(3)]
    assert names == ["P/a.bin", "P/a (1).bin", "P/a (2).bin"]
