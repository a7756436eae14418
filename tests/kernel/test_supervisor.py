"""Background tasks that fail, return, hang or end the process; no test waits for real time."""

import asyncio
import logging
from collections.abc import AsyncIterator

import pytest

from quartet.kernel.errors import AppError, Problem
from quartet.kernel.supervisor import BackgroundTask, Fatal, LoopState, Supervisor, every
from tests.kernel.clock import Time, forever, only, settle

pytestmark = pytest.mark.anyio


@pytest.fixture
def time() -> Time:
    return Time()


@pytest.fixture
async def supervisor(time: Time) -> AsyncIterator[Supervisor]:
    supervisor = Supervisor(sleep=time.sleep, clock=time.clock)
    yield supervisor
    await supervisor.stop()


async def test_failing_task_is_restarted_with_growing_pauses(
    supervisor: Supervisor, time: Time
) -> None:
    async def fail() -> None:
        raise AppError(502, "unreachable", host="x")

    await supervisor.start([BackgroundTask("fetch", fail)])
    assert [await time.pass_pause() for _ in range(8)] == [1, 2, 4, 8, 16, 32, 60, 60]
    await time.begin_pause()
    problem = Problem("unreachable", {"host": "x"})
    assert only(supervisor) == LoopState("fetch", "waiting", 9, problem)


async def test_pause_is_short_again_after_healthy_run(supervisor: Supervisor, time: Time) -> None:
    long_runs = {3}
    runs = 0

    async def run() -> None:
        nonlocal runs
        runs += 1
        if runs in long_runs:
            time.now += 60
        raise RuntimeError("x")

    await supervisor.start([BackgroundTask("loop", run)])
    assert [await time.pass_pause() for _ in range(4)] == [1, 2, 1, 2]


async def test_unknown_error_is_logged_but_not_exposed(
    supervisor: Supervisor, time: Time, caplog: pytest.LogCaptureFixture
) -> None:
    async def fail() -> None:
        raise RuntimeError("secret detail")

    await supervisor.start([BackgroundTask("loop", fail)])
    await time.begin_pause()
    assert only(supervisor).error == Problem("internal")
    assert "RuntimeError: secret detail" in caplog.text
    assert "Traceback" in caplog.text


async def test_old_error_is_cleared_after_healthy_run(supervisor: Supervisor, time: Time) -> None:
    failed = False

    async def run() -> None:
        nonlocal failed
        if not failed:
            failed = True
            raise RuntimeError("x")
        await forever()

    await supervisor.start([BackgroundTask("loop", run)])
    await time.pass_pause()
    await settle()
    assert only(supervisor) == LoopState("loop", "running", 1, Problem("internal"))
    time.now += 60
    assert only(supervisor) == LoopState("loop", "running", 1, None)


async def test_task_ends_when_it_returns(supervisor: Supervisor) -> None:
    async def run() -> None:
        pass

    await supervisor.start([BackgroundTask("once", run)])
    await settle()
    assert only(supervisor) == LoopState("once", "stopped", 0, None)


async def test_restart_on_return_restarts_task(supervisor: Supervisor, time: Time) -> None:
    async def run() -> None:
        pass

    await supervisor.start([BackgroundTask("program", run, restart_on_return=True)])
    assert [await time.pass_pause() for _ in range(3)] == [1, 2, 4]


async def test_cancellation_inside_task_counts_as_error(supervisor: Supervisor, time: Time) -> None:
    async def run() -> None:
        raise asyncio.CancelledError

    await supervisor.start([BackgroundTask("loop", run)])
    assert await time.begin_pause() == 1
    assert only(supervisor).error == Problem("internal")


@pytest.mark.parametrize("grouped", [False, True])
async def test_fatal_error_ends_process(time: Time, grouped: bool) -> None:
    codes: list[int] = []

    async def run() -> None:
        fatal = Fatal(7, "disk_full", path="/data")
        raise ExceptionGroup("tasks", [RuntimeError("x"), fatal]) if grouped else fatal

    supervisor = Supervisor(codes.append, sleep=time.sleep, clock=time.clock)
    await supervisor.start([BackgroundTask("writer", run)])
    await settle()
    assert codes == [7]
    problem = Problem("disk_full", {"path": "/data"})
    assert only(supervisor) == LoopState("writer", "stopped", 0, problem)
    await supervisor.stop()


async def test_every_runs_at_once_and_then_with_pauses(supervisor: Supervisor, time: Time) -> None:
    runs = 0

    async def run() -> None:
        nonlocal runs
        runs += 1

    await supervisor.start([every(300, run, name="check", jitter=30)])
    pauses = [await time.pass_pause() for _ in range(20)]
    await time.begin_pause()
    assert runs == 21
    assert all(300 <= pause <= 330 for pause in pauses)
    assert len(set(pauses)) > 1
    assert only(supervisor) == LoopState("check", "waiting", 0, None)


async def test_every_retries_soon_after_failure(supervisor: Supervisor, time: Time) -> None:
    outcomes = iter([False, False, True, False, True])

    async def run() -> None:
        if not next(outcomes, True):
            raise RuntimeError("x")

    await supervisor.start([every(300, run, name="check")])
    assert [await time.pass_pause() for _ in range(5)] == [1, 2, 300, 1, 300]


async def test_run_now_ends_pause(supervisor: Supervisor, time: Time) -> None:
    runs: asyncio.Queue[int] = asyncio.Queue()

    async def run() -> None:
        runs.put_nowait(1)

    await supervisor.start([every(3600, run, name="check")])
    await runs.get()
    await time.begin_pause()
    supervisor.run_now("check")
    await asyncio.wait_for(runs.get(), 60)
    assert await time.begin_pause() == 3600


async def test_run_now_during_run_repeats_task(supervisor: Supervisor, time: Time) -> None:
    gate = asyncio.Semaphore(0)
    runs = 0

    async def run() -> None:
        nonlocal runs
        runs += 1
        await gate.acquire()

    await supervisor.start([every(3600, run, name="check")])
    await settle()
    supervisor.run_now("check")
    supervisor.run_now("check")
    gate.release()
    gate.release()
    gate.release()
    await settle()
    assert runs == 2
    assert only(supervisor).state == "waiting"


async def test_run_now_of_unknown_task_fails(supervisor: Supervisor) -> None:
    with pytest.raises(AppError, match="not_found"):
        supervisor.run_now("nothing")


async def test_task_names_must_be_unique(supervisor: Supervisor) -> None:
    with pytest.raises(ValueError, match="twice"):
        await supervisor.start([BackgroundTask("twice", forever), BackgroundTask("twice", forever)])


async def test_stop_lets_tasks_clean_up(supervisor: Supervisor, time: Time) -> None:
    cleaned = []

    async def run() -> None:
        try:
            await forever()
        finally:
            await asyncio.sleep(0)
            cleaned.append(True)

    async def fail() -> None:
        raise AppError(502, "unreachable")

    await supervisor.start([BackgroundTask("runs", run), BackgroundTask("waits", fail)])
    await time.begin_pause()
    await supervisor.stop()
    assert cleaned == [True]
    assert [state.state for state in supervisor.states()] == ["stopped", "stopped"]


async def test_stop_has_timeout(supervisor: Supervisor, caplog: pytest.LogCaptureFixture) -> None:
    release = asyncio.Event()

    async def stubborn() -> None:
        while not release.is_set():
            try:
                await release.wait()
            except asyncio.CancelledError:
                continue

    await supervisor.start([BackgroundTask("stubborn", stubborn)])
    await settle()
    with caplog.at_level(logging.ERROR):
        await asyncio.wait_for(supervisor.stop(seconds=0.01), 60)
    assert "background task stubborn did not stop in time" in caplog.text
    release.set()
    await settle()
    assert only(supervisor).state == "stopped"
