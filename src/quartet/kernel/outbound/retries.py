"""When to ask again, and how long to wait before."""

import random
from typing import NamedTuple

import aiohttp

_IDEMPOTENT = ("GET", "HEAD", "OPTIONS", "PUT", "DELETE")
_PASSING = (429, 502, 503, 504)


class Retries(NamedTuple):
    most: int
    backoff: float  # seconds before the second attempt; doubles with each further one
    longest: float  # seconds, also for what a server asks for

    def left(self, method: str, attempt: int) -> bool:
        return attempt < self.most and method in _IDEMPOTENT

    def wait(self, attempt: int, asked: float | None = None) -> float:
        if asked is None:
            # Jitter, so that clients which failed together do not come back together.
            asked = self.backoff * 2**attempt * random.uniform(0.5, 1.0)
        return min(asked, self.longest)


def is_temporary_status(status: int) -> bool:
    """Whether the same request may well succeed a little later."""
    return status in _PASSING


def is_temporary_error(error: aiohttp.ClientError) -> bool:
    if isinstance(error, aiohttp.ClientConnectorCertificateError):
        return False
    return isinstance(error, (aiohttp.ClientConnectionError, aiohttp.ClientPayloadError))
