"""When loops ran and will run, and loops that are begun again."""

import pytest

from quartet.kernel.supervisor import BackgroundTask, LoopRun, Supervisor, every
from tests.kernel.clock import Time, forever, only, settle

pytestmark = pytest.mark.anyio


async def test_a_loop_tells_when_it_ran_and_when_it_will() -> None:
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


async def test_run_now_begins_again_what_has_come_to_its_end() -> None:
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
