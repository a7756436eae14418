"""Retry policy for outgoing requests."""

import random
from typing import NamedTuple

import aiohttp

_IDEMPOTENT = ("GET", "HEAD", "OPTIONS", "PUT", "DELETE")
_TEMPORARY_STATUSES = (429, 502, 503, 504)


class Retries(NamedTuple):
    max_retries: int
    backoff: float  # seconds before the second attempt; doubles with each attempt
    max_wait: float  # seconds; a server that asks for more by Retry-After is not asked again

    def left(self, method: str, attempt: int) -> bool:
        return attempt < self.max_retries and method in _IDEMPOTENT

    def wait(self, attempt: int) -> float:
        # Jitter prevents clients that failed together from retrying together.
        return min(self.backoff * 2.0**attempt * random.uniform(0.5, 1.0), self.max_wait)


def is_temporary_status(status: int) -> bool:
    """Return whether the same request may succeed later."""
    return status in _TEMPORARY_STATUSES


def is_temporary_error(error: aiohttp.ClientError) -> bool:
    if isinstance(error, aiohttp.ClientConnectorCertificateError):
        return False
    return isinstance(error, (aiohttp.ClientConnectionError, aiohttp.ClientPayloadError))
