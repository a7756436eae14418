"""Run the tests in several processes: `pytest -p tests.parallel --workers 4`.

The tests are collected once, and the workers are forked afterwards: importing everything takes
longer than most files of tests run. Each worker runs whole files, in the order of collection.
"""

import os
import pickle
import random
import selectors
import signal
import socket
import struct
import sys
import traceback
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import groupby, pairwise
from pathlib import Path
from typing import Any

import pytest
from _pytest.config import create_terminal_writer

# The number of this worker, for tests that must not meet those of another worker.
WORKER_VARIABLE = "QUARTET_TEST_WORKER"
LENGTH = struct.Struct("!I")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--workers", type=int, default=0, help="run the tests in forked processes")


@pytest.hookimpl(tryfirst=True)
def pytest_runtestloop(session: pytest.Session) -> bool | None:
    count = session.config.getoption("workers")
    if count < 1 or session.config.option.collectonly or session.testsfailed:
        return None
    ParallelRun(session, count).run()
    return True


class Channel:
    """Sends and receives Python objects through a socket."""

    def __init__(self, connection: socket.socket) -> None:
        self._socket = connection

    def fileno(self) -> int:
        return self._socket.fileno()

    def send(self, message: Any) -> None:
        data = pickle.dumps(message)
        self._socket.sendall(LENGTH.pack(len(data)) + data)

    def receive(self) -> Any:
        (length,) = LENGTH.unpack(self._read(LENGTH.size))
        return pickle.loads(self._read(length))

    def _read(self, size: int) -> bytes:
        data = bytearray()
        while len(data) < size:
            if not (part := self._socket.recv(size - len(data))):
                raise EOFError
            data += part
        return bytes(data)

    def close(self) -> None:
        self._socket.close()


@dataclass
class Worker:
    pid: int
    channel: Channel
    # The files assigned to it that are not finished, and the test it runs.
    files: list[int] = field(default_factory=list)
    test: str = ""


class ParallelRun:
    """The parent: assigns files to workers and reports their results."""

    def __init__(self, session: pytest.Session, count: int) -> None:
        self._session = session
        self._hook = session.config.hook
        self._files = [list(items) for _, items in groupby(session.items, lambda item: item.path)]
        self._waiting = list(range(len(self._files)))
        self._count = min(count, len(self._files))
        self._selector = selectors.DefaultSelector()

    def run(self) -> None:
        # Created before the workers, so that all of them use the same folder.
        folder = self._session.config._tmp_path_factory.getbasetemp()  # type: ignore[attr-defined]
        try:
            for number in range(self._count):
                self._start(number, folder)
            while self._selector.get_map():
                for key, _ in self._selector.select():
                    self._handle(key.data)
                    self._stop_if_asked()
        finally:
            for key in list(self._selector.get_map().values()):
                os.kill(key.data.pid, signal.SIGTERM)

    def _start(self, number: int, folder: Path) -> None:
        ours, theirs = socket.socketpair()
        sys.stdout.flush()
        sys.stderr.flush()
        pid = os.fork()
        if pid == 0:
            ours.close()
            for key in self._selector.get_map().values():
                key.data.channel.close()
            run_worker(self._session, self._files, Channel(theirs), number, folder)
        theirs.close()
        worker = Worker(pid, Channel(ours))
        self._selector.register(worker.channel, selectors.EVENT_READ, worker)
        self._assign(worker)
        self._assign(worker)

    def _assign(self, worker: Worker) -> None:
        """Send the next file. A worker always knows one more, to tear down no fixture too early."""
        index = self._waiting.pop(0) if self._waiting else None
        if index is not None:
            worker.files.append(index)
        worker.channel.send(index)

    def _handle(self, worker: Worker) -> None:
        try:
            kind, content = worker.channel.receive()
        except (EOFError, ConnectionError):
            self._end(worker)
            return
        if kind == "started":
            worker.test = content
            item = next(each for each in self._files[worker.files[0]] if each.nodeid == content)
            self._hook.pytest_runtest_logstart(nodeid=content, location=item.location)
        elif kind == "report":
            config = self._session.config
            report = self._hook.pytest_report_from_serializable(config=config, data=content)
            self._hook.pytest_runtest_logreport(report=report)
        elif kind == "file done":
            worker.files.pop(0)
            worker.test = ""
            self._assign(worker)
        else:
            sys.stderr.write(content)

    def _end(self, worker: Worker) -> None:
        """Report the test that was running, if the worker died, and what it did not run."""
        self._selector.unregister(worker.channel)
        worker.channel.close()
        code = os.waitstatus_to_exitcode(os.waitpid(worker.pid, 0)[1])
        if code == 0 and not worker.files:
            return
        name = worker.test or "tests"
        problem = f"a worker ended with {code} while running {name}"
        self._session.testsfailed += 1
        self._session.shouldfail = problem

    def _stop_if_asked(self) -> None:
        if self._session.shouldfail:
            raise self._session.Failed(self._session.shouldfail)
        if self._session.shouldstop:
            raise self._session.Interrupted(self._session.shouldstop)


def run_worker(
    session: pytest.Session,
    files: list[list[pytest.Item]],
    channel: Channel,
    number: int,
    folder: Path,
) -> None:
    """Run files until there are no more, then exit."""
    code = 1
    try:
        _prepare(session, channel, number, folder)
        for item, following in _pairs(files, channel):
            channel.send(("started", item.nodeid))
            item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
            if following is None or following.path != item.path:
                channel.send(("file done", None))
        code = 0
    except (EOFError, ConnectionError):
        pass  # the parent has stopped
    except BaseException:  # noqa: BLE001 - the process ends here
        channel.send(("problem", traceback.format_exc()))
    finally:
        # Exit handlers belong to the parent.
        os._exit(code)


def _prepare(session: pytest.Session, channel: Channel, number: int, folder: Path) -> None:
    config = session.config
    os.environ[WORKER_VARIABLE] = str(number)
    random.seed()
    # Processes that tests spawn need not import the main module, which is pytest.
    main: Any = sys.modules["__main__"]
    main.__spec__ = main.__file__ = None
    # The files behind the captured output would be shared with the other processes.
    capture = config.pluginmanager.getplugin("capturemanager")
    assert capture is not None
    capture.stop_global_capturing()
    capture.start_global_capturing()
    # Other plugins need the terminal reporter, but only the parent writes to the terminal.
    reporter = config.pluginmanager.getplugin("terminalreporter")
    assert reporter is not None
    devnull = Path(os.devnull).open("w")  # noqa: SIM115 - until the process ends
    reporter._tw = create_terminal_writer(config, devnull)
    config.pluginmanager.register(Reporter(config, channel))
    own = folder / f"worker-{number}"
    own.mkdir(mode=0o700)
    config._tmp_path_factory._basetemp = own  # type: ignore[attr-defined]


class Reporter:
    def __init__(self, config: pytest.Config, channel: Channel) -> None:
        self._config, self._channel = config, channel

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        hook = self._config.hook
        data = hook.pytest_report_to_serializable(config=self._config, report=report)
        self._channel.send(("report", data))


def _pairs(
    files: list[list[pytest.Item]], channel: Channel
) -> Iterator[tuple[pytest.Item, pytest.Item | None]]:
    """Yield each test with the one that follows it in this worker."""
    current: int | None = channel.receive()
    while current is not None:
        following: int | None = channel.receive()
        items = files[current]
        yield from pairwise(items)
        yield items[-1], None if following is None else files[following][0]
        current = following
