"""Run times of background tasks, and restarting finished ones."""

import pytest

from quartet.kernel.supervisor import BackgroundTask, LoopRun, Supervisor, every
from tests.kernel.clock import Time, forever, only, settle

pytestmark = pytest.mark.anyio


async def test_runs_report_last_and_next_run() -> None:
    time = Time()
    supervisor = Supervisor(sleep=time.sleep, clock=time.clock, wall=lambda: 1000 + time.now)

    async def run() -> None:
        time.now += 5

    await supervisor.start([every(300, run, name="check"), BackgroundTask("never", forever)])
    await time.begin_pause()
    check, never = supervisor.runs()
    assert check == LoopRun("check", 300, 1000, 5, 1305)
    assert never == LoopRun("never", None, 1005, None, None)
    await supervisor.stop()


async def test_run_now_restarts_finished_task() -> None:
    supervisor, runs = Supervisor(), 0

    async def run() -> None:
        nonlocal runs
        runs += 1

    await supervisor.start([BackgroundTask("once", run)])
    await settle()
    supervisor.run_now("once")
    await settle()
    assert runs == 2
    assert only(supervisor).state == "stopped"
    await supervisor.stop()
    supervisor.run_now("once")
    await settle()
    assert runs == 2
