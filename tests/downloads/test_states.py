"""Random operations in random order: no illegal states, lost rows or reappearing rows."""

import asyncio
import tempfile
from collections.abc import Coroutine
from pathlib import Path
from typing import Any

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from quartet.downloads.app import SERVICE
from quartet.downloads.links.service import Links
from quartet.downloads.links.types import LinkInfo, NewLinks
from quartet.downloads.packages.states import TRANSITIONS, UNDER_WAY
from quartet.downloads.queue import store
from quartet.downloads.queue.finish import store as finish_store
from quartet.downloads.queue.scheduler.free_slots import Slots
from quartet.downloads.queue.scheduler.store import claim as claim_next
from quartet.downloads.queue.scheduler.upcoming import UpcomingDownloads
from quartet.downloads.queue.scheduler_inbox import SchedulerInbox
from quartet.downloads.queue.service import Queue
from quartet.downloads.queue.types import PathRequest
from quartet.downloads.settings import DownloadsSettings
from quartet.kernel.errors import AppError, Problem
from quartet.kernel.startup import open_kernel
from tests.databases import put_empty_database
from tests.rounds import examples

LEGAL = {(source, step.target) for step in TRANSITIONS.values() for source in step.sources}
PROBLEM = Problem("network_error")


class ListOfDownloads(RuleBasedStateMachine):
    def __init__(self) -> None:
        super().__init__()
        self.folder = tempfile.TemporaryDirectory()
        data = Path(self.folder.name)
        put_empty_database(data, SERVICE.history)
        self.kernel = open_kernel(SERVICE, DownloadsSettings(data=data))
        self.loop = asyncio.new_event_loop()
        self.queue = Queue(self.kernel, SchedulerInbox())
        self.upcoming = UpcomingDownloads(self.kernel.db)
        self.links = Links(self.kernel, lambda: None, lambda: None)
        self.now: dict[int, str] = {}
        self.gone: set[int] = set()

    def teardown(self) -> None:
        self.loop.close()
        self.kernel.db.close()
        self.folder.cleanup()

    def do(self, act: Coroutine[Any, Any, Any]) -> Any:
        return self.loop.run_until_complete(act)

    def write(self, act: Any, *given: Any, **values: Any) -> Any:
        return self.kernel.db.write_sync(lambda tx: act(tx.conn, *given, **values))

    def rows(self, query: str) -> list[Any]:
        with self.kernel.db.engine.connect() as conn:
            return list(conn.exec_driver_sql(query).all())

    def look(self, *, may_vanish: bool = False) -> None:
        """Compare with the last state; every change must be an allowed transition."""
        before, self.now = self.now, dict(self.rows("SELECT id, status FROM downloads"))
        for id, status in before.items():
            if id not in self.now:
                assert may_vanish
                self.gone.add(id)
            else:
                assert self.now[id] == status or (status, self.now[id]) in LEGAL
        assert not self.gone & self.now.keys()
        marked = "SELECT DISTINCT status FROM downloads WHERE started_now OR before_stop"
        assert {status for (status,) in self.rows(marked)} <= set(UNDER_WAY)

    def pick(self, number: int) -> int:
        return sorted(self.now)[number % len(self.now)]

    def package_of(self, id: int) -> int:
        [(package,)] = self.rows(f"SELECT package_id FROM downloads WHERE id = {id}")
        return int(package)

    @rule(count=st.integers(1, 4), start=st.booleans())
    def add(self, count: int, start: bool) -> None:
        text = " ".join(f"http://h{n}.invalid/{len(self.now)}-{n}" for n in range(count))
        self.do(self.links.add(NewLinks(text, start=start)))
        self.look()

    @precondition(lambda self: self.now)
    @rule(number=st.integers(0, 20), whole=st.booleans())
    def start(self, number: int, whole: bool) -> None:
        id = self.pick(number)
        try:
            self.do(self.queue.start(self.package_of(id), None if whole else [id]))
        except AppError as error:
            assert error.code == "all_offline"
        self.look()

    @precondition(lambda self: self.now)
    @rule(
        number=st.integers(0, 20),
        verb=st.sampled_from(
            [
                *("pause_package", "resume_package", "start_package_now"),
                *("pause_download", "resume_download", "start_download_now"),
            ]
        ),
    )
    def pause_or_resume(self, number: int, verb: str) -> None:
        id = self.pick(number)
        target = self.package_of(id) if "package" in verb else id
        self.do(getattr(self.queue, verb)(target))
        self.look()

    @rule(verb=st.sampled_from(["pause_all", "resume_all", "stop_after_running", "cancel_stop"]))
    def all_at_once(self, verb: str) -> None:
        self.do(getattr(self.queue, verb)())
        self.look()

    @precondition(lambda self: self.now)
    @rule(number=st.integers(0, 20), online=st.sampled_from(["online", "offline", "unknown"]))
    def checked(self, number: int, online: Any) -> None:
        self.do(self.links.checked([(self.pick(number), LinkInfo(online))]))
        self.look()

    @rule(free=st.integers(1, 3), per_host=st.integers(0, 1))
    def claim(self, free: int, per_host: int) -> None:
        # Read ahead and not cleared when something changes, which must not matter.
        picked = self.do(self.upcoming.pick(Slots(free, per_host, {}, frozenset()), 10**13))
        claimed = self.write(claim_next, picked)
        assert len(claimed) <= free
        hosts = [item.host for item in claimed]
        assert not per_host or len(set(hosts)) == len(hosts)
        self.look()

    @precondition(lambda self: self.now)
    @rule(number=st.integers(0, 20), step=st.sampled_from(["transfer", "move", "finish"]))
    def run(self, number: int, step: str) -> None:
        """Run a step of a task, which anything may have overtaken."""
        id = self.pick(number)
        if step == "transfer":
            self.write(store.transfer, id)
        elif step == "move":
            self.write(finish_store.reserve_paths, [PathRequest(id, "", "x", 1, "x")], "boot")
        else:
            self.write(finish_store.finish, [id], 1)
        self.look()

    @precondition(lambda self: self.now)
    @rule(number=st.integers(0, 20), step=st.sampled_from([store.wait, store.stop, store.fail]))
    def run_badly(self, number: int, step: Any) -> None:
        later = {"retry_at": 1} if step is store.wait else {}
        self.write(step, self.pick(number), PROBLEM, bytes_done=1, **later)
        self.look()

    @precondition(lambda self: self.now)
    @rule(number=st.integers(0, 20), whole=st.booleans())
    def delete(self, number: int, whole: bool) -> None:
        id = self.pick(number)
        if whole:
            self.do(self.queue.delete_package(self.package_of(id), files=False))
        else:
            self.do(self.queue.delete_download(id, files=False))
        self.look(may_vanish=True)
        assert id in self.gone

    @rule()
    def clear_finished(self) -> None:
        finished = {id for id, status in self.now.items() if status == "finished"}
        before = set(self.now)
        self.do(self.queue.clear("finished"))
        self.look(may_vanish=True)
        assert before - set(self.now) == finished

    @invariant()
    def nothing_hangs_in_the_air(self) -> None:
        empty = "SELECT id FROM packages WHERE id NOT IN (SELECT package_id FROM downloads)"
        assert self.rows(empty) == []
        # Downloads in the link grabber neither run nor wait to run.
        assert not self.rows(
            "SELECT status FROM downloads JOIN packages ON packages.id = package_id"
            " WHERE collector AND status <> 'collected'"
        )
        # Only active and finished downloads have a path.
        assert not self.rows(
            "SELECT id FROM downloads WHERE file IS NOT NULL"
            " AND status NOT IN ('downloading', 'finished')"
        )
        late = "SELECT id FROM downloads WHERE retry_at IS NOT NULL AND status <> 'queued'"
        assert not self.rows(late)


TestStates = ListOfDownloads.TestCase
TestStates.settings = settings(max_examples=examples(30), stateful_step_count=30, deadline=None)
