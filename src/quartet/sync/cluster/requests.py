"""Calls methods on another control server."""

import asyncio
import itertools
import logging
from collections.abc import Awaitable, Callable
from typing import Any, ParamSpec, TypeVar, get_type_hints

import msgspec

from quartet.kernel.errors import AppError
from quartet.sync.cluster.bus import Bus
from quartet.sync.cluster.types import JSON_NULL, CallError, CallRequest, CallResult, ClusterMessage

log = logging.getLogger("quartet.sync.cluster")

T = TypeVar("T")
P = ParamSpec("P")

ANSWER_SECONDS = 20.0
MOST_AT_ONCE = 100


class Requests:
    """Calls methods by name; the arguments are decoded with the method's own type hints."""

    def __init__(self, bus: Bus) -> None:
        self._bus = bus
        self._numbers = itertools.count(1)
        self._served: dict[str, Callable[..., Awaitable[Any]]] = {}
        self._waiting: dict[int, asyncio.Future[CallResult]] = {}
        self._work: set[asyncio.Task[None]] = set()
        bus.listeners.append(self._on_message)

    def serve(self, *methods: Callable[..., Awaitable[Any]]) -> None:
        """Allow other servers to call these methods."""
        self._served |= {method.__qualname__: method for method in methods}

    async def call(
        self,
        server: str | None,
        method: Callable[P, Awaitable[T]],
        *args: P.args,
        **kwargs: P.kwargs,
    ) -> T:
        """Call the method on the given server, or locally without a `server`."""
        if server is None:
            return await method(*args, **kwargs)
        inputs = [msgspec.Raw(msgspec.json.encode(each)) for each in (*args, *kwargs.values())]
        answer = await self._answer(server, method.__qualname__, inputs)
        if answer.refused is not None:
            refused = answer.refused
            raise AppError(refused.status, refused.code, **refused.inputs)
        kind: type[T] = get_type_hints(method)["return"]
        return msgspec.json.decode(answer.result, type=kind)

    async def _answer(self, server: str, method: str, inputs: list[msgspec.Raw]) -> CallResult:
        number = next(self._numbers)
        waiting: asyncio.Future[CallResult] = asyncio.get_running_loop().create_future()
        self._waiting[number] = waiting
        try:
            self._bus.send(CallRequest(self._bus.id, server, number, method, inputs))
            async with asyncio.timeout(ANSWER_SECONDS):
                return await waiting
        except TimeoutError:
            raise AppError(503, "server_silent") from None
        finally:
            del self._waiting[number]

    def _on_message(self, message: ClusterMessage) -> None:
        match message:
            case CallResult(to=self._bus.id, number=number) if number in self._waiting:
                if not self._waiting[number].done():
                    self._waiting[number].set_result(message)
            case CallRequest(to=self._bus.id) if len(self._work) < MOST_AT_ONCE:
                task = asyncio.create_task(self._execute(message))
                self._work.add(task)
                task.add_done_callback(self._work.discard)

    async def _execute(self, asked: CallRequest) -> None:
        result, refused = JSON_NULL, None
        try:
            result = await self._result(asked)
        except AppError as error:
            refused = CallError(error.status, error.code, dict(error.inputs))
        except Exception:
            log.exception("%s, called by another server, failed", asked.method)
            refused = CallError(500, "internal", {})
        self._bus.send(CallResult(self._bus.id, asked.server, asked.number, result, refused))

    async def _result(self, asked: CallRequest) -> msgspec.Raw:
        method = self._served.get(asked.method)
        if method is None:
            # The other server runs a newer version, while servers are being updated one by one.
            raise AppError(503, "server_silent")
        hints = get_type_hints(method)
        hints.pop("return", None)
        values = [
            msgspec.json.decode(raw, type=kind)
            for raw, kind in zip(asked.inputs, hints.values(), strict=True)
        ]
        return msgspec.Raw(msgspec.json.encode(await method(*values)))
