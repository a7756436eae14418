import signal

import pytest

from quartet.wind.ingest.workers import Workers

pytestmark = pytest.mark.anyio


async def test_workers_ignore_ctrl_c_of_terminal() -> None:
    """A terminal sends Ctrl-C to all processes; the server must find its workers alive."""
    workers = Workers(1)
    try:
        blocked = await workers.run(signal.pthread_sigmask, signal.SIG_BLOCK, ())
    finally:
        workers.close()
    assert signal.SIGINT in blocked
    assert signal.SIGINT not in signal.pthread_sigmask(signal.SIG_BLOCK, ())
