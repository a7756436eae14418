"""A work queue in a Redis stream."""

import asyncio
import logging
import os
from collections.abc import AsyncGenerator, Awaitable, Callable
from socket import gethostname
from typing import Any

from redis.asyncio import Redis
from taskiq import AckableMessage
from taskiq.receiver import Receiver
from taskiq_redis import RedisStreamBroker

from quartet.kernel.redis import redis_address

# Workers report at this interval that they are alive. The messages of a worker that has been silent
# for longer are taken over by others.
BEAT_SECONDS = 2.0
LOST_SECONDS = 8.0
_WAIT_SECONDS = 1.0
_STREAM = "quartet-wind-blocks"
_MOST_HELD = 100


class Queue(RedisStreamBroker):
    """The broker of taskiq with another way of taking messages.

    One at a time, so that no worker holds work that another could do; messages of dead workers are
    taken also while nothing new arrives.
    """

    def __init__(self, url: str) -> None:
        super().__init__(
            redis_address(url),
            queue_name=_STREAM,
            consumer_group_name="workers",
            # The name shows in Redis which process holds a message.
            consumer_name=f"{gethostname()}-{os.getpid()}",
            consumer_id="0",
            xread_block=int(_WAIT_SECONDS * 1000),
        )
        self._closed = False
        # Its default level logs every message.
        logging.getLogger("taskiq").setLevel(logging.WARNING)

    async def work(self, at_once: int) -> None:
        """Process messages until cancelled; unfinished ones are left to other workers."""
        self._closed = False
        receiver = Receiver(self, max_async_tasks=at_once)
        async with asyncio.TaskGroup() as both:
            both.create_task(self._beat())
            try:
                await receiver.listen(asyncio.Event())
            finally:
                self._closed = True

    async def listen(self) -> AsyncGenerator[AckableMessage, None]:
        async with Redis(connection_pool=self.connection_pool) as redis:
            while True:
                for number, fields in await self._lost(redis) or await self._new(redis):
                    ack = self._ack_generator(number, self.queue_name)
                    yield AckableMessage(data=fields[b"data"], ack=ack)

    async def _lost(self, redis: Any) -> list[Any]:
        idle = int(LOST_SECONDS * 1000)
        group, name = self.consumer_group_name, self.consumer_name
        found = await redis.xautoclaim(self.queue_name, group, name, idle, count=1)
        return list(found[1])

    async def _new(self, redis: Any) -> list[Any]:
        group, name = self.consumer_group_name, self.consumer_name
        streams = {self.queue_name: ">"}
        found = await redis.xreadgroup(group, name, streams, count=1, block=self.block)
        return list(found[0][1]) if found else []

    def _ack_generator(self, id: str, queue_name: str) -> Callable[[], Awaitable[None]]:
        async def ack() -> None:
            # Work that was interrupted by shutdown is not done.
            if self._closed:
                return
            async with Redis(connection_pool=self.connection_pool) as redis:
                await redis.xack(queue_name, self.consumer_group_name, id)
                await redis.xdel(queue_name, id)

        return ack

    async def _beat(self) -> None:
        async with Redis(connection_pool=self.connection_pool) as redis:
            while True:
                await asyncio.sleep(BEAT_SECONDS)
                await self._still_at_work(redis)

    async def _still_at_work(self, redis: Any) -> None:
        group, name = self.consumer_group_name, self.consumer_name
        held = await redis.xpending_range(
            self.queue_name, group, "-", "+", _MOST_HELD, consumername=name
        )
        numbers = [each["message_id"] for each in held]
        if numbers:
            await redis.xclaim(self.queue_name, group, name, 0, numbers, justid=True)
