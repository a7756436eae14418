"""Problems of a service are on its system page, in its metrics, and reported once."""

import asyncio
from collections.abc import Sequence
from pathlib import Path

import pytest

from quartet.kernel.backups.record import change_record
from quartet.kernel.conditions import Condition, Conditions, Finding
from quartet.kernel.conditions.checks import disk_finding, task_findings
from quartet.kernel.conditions.texts import lines
from quartet.kernel.errors import AppError, Problem
from quartet.kernel.supervisor import BackgroundTask, Supervisor, every
from tests.downloads.conftest import logged_in

pytestmark = pytest.mark.anyio

LATE = Finding("source", "metar", Problem("source_overdue"))
Reports = list[tuple[list[str], list[str]]]


def conditions_with(found: list[Finding], reports: Reports) -> Conditions:
    async def check() -> list[Finding]:
        return list(found)

    async def notify(began: Sequence[Condition], ended: Sequence[Condition]) -> None:
        reports.append(([each.name for each in began], [each.name for each in ended]))

    conditions = Conditions(clock=lambda: 1000.0)
    conditions.checks.append(check)
    conditions.notify = notify
    return conditions


async def test_problem_is_reported_once_when_it_begins_and_once_when_it_ends() -> None:
    found, reports = [LATE], Reports()
    conditions = conditions_with(found, reports)
    for _ in range(5):
        await conditions.check()
    assert reports == [(["metar"], [])]
    assert conditions.current == [Condition("source", "metar", LATE.problem, 1000)]
    found.clear()
    for _ in range(3):
        await conditions.check()
    assert reports == [(["metar"], []), ([], ["metar"])]
    assert conditions.current == []


async def test_problem_that_is_gone_at_the_next_check_is_not_reported() -> None:
    found, reports = [LATE], Reports()
    conditions = conditions_with(found, reports)
    for _ in range(3):
        found[:] = [LATE]
        await conditions.check()
        found.clear()
        await conditions.check()
    assert reports == []


async def test_failing_and_hanging_tasks_are_found() -> None:
    async def fail() -> None:
        raise AppError(500, "internal")

    async def hang() -> None:
        await asyncio.Event().wait()

    supervisor = Supervisor(wall=lambda: 0.0)
    await supervisor.start(
        [
            every(60, fail, name="failing"),
            every(60, hang, name="hanging"),
            BackgroundTask("permanent", hang),
        ]
    )
    try:
        while not any(each.error for each in supervisor.states()):
            await asyncio.sleep(0)
        found = list(task_findings(supervisor, 7 * 3600))
        assert [(each.name, each.problem.code) for each in found] == [
            ("failing", "health_task_failing"),
            ("hanging", "health_task_hanging"),
        ]
        assert [each.name for each in task_findings(supervisor, 3600)] == ["failing"]
    finally:
        await supervisor.stop()


def test_full_and_missing_disks_are_found(tmp_path: Path) -> None:
    gigabyte = 1024**3

    def usage(total: int, free: int) -> list[str]:
        found = disk_finding(tmp_path, lambda _path: (total, total - free, free))
        return [each.problem.code for each in found]

    assert usage(1000 * gigabyte, gigabyte - 1) == ["health_disk_full"]
    assert usage(1000 * gigabyte, 2 * gigabyte) == []
    # A small disk is full later.
    assert usage(4 * gigabyte, gigabyte // 2) == []
    missing = list(disk_finding(tmp_path / "gone"))
    assert [each.problem.code for each in missing] == ["health_disk_missing"]


async def test_overdue_backup_is_on_the_page_and_in_metrics(tmp_path: Path) -> None:
    tmp_path.mkdir(exist_ok=True)
    change_record(tmp_path, since=1, attempted_at=2**40, error=None)
    async with logged_in(tmp_path) as client:
        for _ in range(2):
            await client.started.kernel.conditions.check()
        (problem,) = (await client.get("/api/system")).json()["problems"]
        assert (problem["kind"], problem["problem"]["code"]) == ("backup", "backup_overdue")
        assert 'quartet_problem{name="backup downloads"} 1.0' in (await client.get("/metrics")).text
        assert (await client.post("/api/system/backups")).status_code == 201
        await client.started.kernel.conditions.check()
        assert (await client.get("/api/system")).json()["problems"] == []


def test_lines_name_what_began_and_what_ended() -> None:
    disk = Condition("disk", "/data", Problem("health_disk_missing"), 0)
    task = Condition("task", "notices", Problem("health_task_failing", {"reason": "x"}), 0)
    assert lines([task], [disk], "en") == [
        "Problem: Background task notices is failing (x)",
        "Solved: Disk /data: health_disk_missing",
    ]
