"""A client that applies events and reloads on resync always ends in the correct state."""

import itertools

import hypothesis.strategies as st
import msgspec
from hypothesis import settings
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from quartet.kernel.events import Event, Frame
from quartet.kernel.events.fanout import Fanout, Mailbox
from quartet.kernel.events.types import Resync, encode_event, frame_from_wire
from tests.rounds import examples

processes = st.integers(0, 1)
clients = st.integers(0, 2)
sizes = st.integers(1, 6)


class Set(Event, frozen=True, tag="set"):
    key: str
    value: int


class Process:
    """One process: its fanout and the messages in transit from the backend."""

    def __init__(self, name: str, history: int) -> None:
        self.fanout = Fanout(history, start=f"{name}-start")
        self.coming: list[Frame] = []
        self.online = True

    def deliver(self, count: int) -> None:
        for frame in self.coming[:count]:
            self.fanout.receive(frame)
        del self.coming[:count]


class Client:
    """A browser: the state it shows and the id it would resume from."""

    def __init__(self, truth: dict[str, int], queue: int) -> None:
        self.truth = truth
        self.queue = queue
        self.mailbox = Mailbox(queue)
        self.process: Process | None = None
        self.last_id: str | None = None
        self.state: dict[str, int] = {}

    def connect(self, process: Process) -> None:
        self.disconnect()
        self.process = process
        self.mailbox = Mailbox(self.queue)
        process.fanout.attach(self.mailbox, self.last_id)
        if self.last_id is None:
            self.last_id = process.fanout.position
            self.state = dict(self.truth)

    def disconnect(self) -> None:
        if self.process is not None:
            self.process.fanout.detach(self.mailbox)
            self.process = None

    def read(self, count: int) -> None:
        for _ in range(min(count, len(self.mailbox))):
            frame = self.mailbox.take()
            self.last_id = frame.id
            if frame.is_resync:
                self.state = dict(self.truth)
            else:
                event = msgspec.json.decode(frame.data, type=Set)
                self.state[event.key] = event.value


class Browsers(RuleBasedStateMachine):
    @initialize(history=sizes, queue=sizes)
    def begin(self, history: int, queue: int) -> None:
        self.truth: dict[str, int] = {}
        self.ids = itertools.count()
        self.processes = [Process(name, history) for name in "ab"]
        self.clients = [Client(self.truth, queue) for _ in range(3)]
        for client in self.clients:
            client.connect(self.processes[0])

    def send(self, event: Event, sender: Process) -> None:
        """Publish as the hub does: through the backend, or locally during an outage."""
        frame = encode_event(str(next(self.ids)), event)
        if not sender.online:
            sender.fanout.receive(frame)
            return
        for process in self.processes:
            if process.online:
                process.coming.append(frame_from_wire(frame.to_wire()))

    @rule(sender=processes, key=st.sampled_from("abc"), value=st.integers(0, 9))
    def publish(self, sender: int, key: str, value: int) -> None:
        self.truth[key] = value
        self.send(Set(key, value), self.processes[sender])

    @rule(process=processes, count=st.integers(1, 5))
    def deliver(self, process: int, count: int) -> None:
        self.processes[process].deliver(count)

    @rule(client=clients, count=st.integers(1, 4))
    def read(self, client: int, count: int) -> None:
        self.clients[client].read(count)

    @rule(client=clients, process=processes)
    def connect(self, client: int, process: int) -> None:
        self.clients[client].connect(self.processes[process])

    @rule(client=clients)
    def disconnect(self, client: int) -> None:
        self.clients[client].disconnect()

    @invariant()
    def no_mailbox_grows(self) -> None:
        assert all(len(client.mailbox) <= client.queue for client in self.clients)

    def teardown(self) -> None:
        """Restore the backend at the end, so that all clients catch up."""
        for process in self.processes:
            process.deliver(len(process.coming))
        for client in self.clients:
            if client.process is None:
                client.connect(self.processes[1])
            client.read(client.queue)
            assert client.state == self.truth


class BrowsersDuringOutages(Browsers):
    """A separate machine, because the resync after an outage would hide errors of the others."""

    @rule(process=processes)
    def lose_backend(self, process: int) -> None:
        lost = self.processes[process]
        if lost.online:
            lost.online = False
            lost.coming.clear()
            self.send(Resync(), lost)

    @precondition(lambda self: not all(process.online for process in self.processes))
    @rule()
    def find_backend(self) -> None:
        for process in self.processes:
            if not process.online:
                process.online = True
                self.send(Resync(), process)

    def teardown(self) -> None:
        self.find_backend()
        super().teardown()


often = settings(max_examples=examples(200), stateful_step_count=30, deadline=None)
TestBrowsers = Browsers.TestCase
TestBrowsers.settings = often
TestBrowsersDuringOutages = BrowsersDuringOutages.TestCase
TestBrowsersDuringOutages.settings = often
