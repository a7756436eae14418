"""The demo of downloads keeps moving."""

from types import SimpleNamespace
from typing import Any

import pytest

from quartet.downloads.demo.arrivals import Arrivals
from quartet.kernel.errors import Problem

pytestmark = pytest.mark.anyio


class Queue:
    """A queue with these packages, which notes what is done with them."""

    def __init__(self, *packages: Any) -> None:
        self._packages = list(packages)
        self.actions: list[tuple[str, object]] = []

    def arrivals(self) -> Arrivals:
        given: Any = self
        return Arrivals(given, given, given)

    async def page(self, _query: object, _live: object) -> Any:
        return SimpleNamespace(packages=self._packages)

    async def delete_package(self, id: int, *, files: bool) -> None:
        self.actions.append(("delete with files" if files else "delete", id))

    async def add_all(self, given: list[Any]) -> None:
        self.actions += [("add", each.package_name) for each in given]

    async def extract(self, id: int) -> None:
        self.actions.append(("extract", id))

    async def pause_download(self, id: int) -> None:
        self.actions.append(("pause", id))

    async def resume_download(self, id: int) -> None:
        self.actions.append(("resume", id))


def package(name: str, section: str, **more: Any) -> Any:
    usual = {"id": 7, "source": "demo", "extract": None, "extract_error": None, "downloads": []}
    return SimpleNamespace(name=name, section=section, **{**usual, **more})


async def test_next_long_package_arrives_when_the_last_one_is_finished() -> None:
    queue = Queue(package("Harbour timelapse", "finished"), package("Field recordings", "finished"))
    arrivals = queue.arrivals()
    await arrivals.run_once()
    assert queue.actions == [("delete with files", 7), ("add", "Regatta")]
    await arrivals.run_once()
    assert queue.actions[-1] == ("add", "Dune survey")


@pytest.mark.parametrize("section", ["active", "waiting", "failed", "attention"])
async def test_unfinished_long_package_stays(section: str) -> None:
    queue = Queue(package("Regatta", section))
    await queue.arrivals().run_once()
    assert queue.actions == []


async def test_packages_of_users_stay() -> None:
    queue = Queue(package("Regatta", "finished", source="paste"))
    await queue.arrivals().run_once()
    assert queue.actions == []


async def test_expired_questions_are_asked_again() -> None:
    expired = Problem("question_expired")
    downloads = [
        SimpleNamespace(id=1, status="queued", error=expired),
        SimpleNamespace(id=2, status="waiting", error=expired),
        SimpleNamespace(id=3, status="failed", error=Problem("file_offline")),
    ]
    locked = Problem("wrong_password")
    queue = Queue(
        package("Harbour chart", "waiting", downloads=downloads),
        package("Cabin plans", "attention", extract="failed", extract_error=locked),
        package("Asked now", "attention", id=8, extract="running", extract_error=locked),
    )
    await queue.arrivals().run_once()
    assert queue.actions == [("pause", 1), ("resume", 1), ("extract", 7)]
