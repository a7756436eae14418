"""Conditional requests to data sources."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from quartet.kernel.errors import AppError

if TYPE_CHECKING:
    from quartet.kernel.outbound import OutboundClient

_UNCHANGED = 304
_ABSENT = (204, 404, 410)
_VALIDATORS = {"ETag": "If-None-Match", "Last-Modified": "If-Modified-Since"}
# Well above the number of watched files.
_MOST_REMEMBERED = 5000


class Fetcher:
    def __init__(self, outbound: "Callable[[], OutboundClient]", timeout: float = 60) -> None:
        self._outbound = outbound
        self._timeout = timeout
        self._validators: dict[str, dict[str, str]] = {}

    async def fetch_if_changed(self, url: str, limit: int) -> bytes | None:
        """Return the body, or None if the file does not exist or has not changed."""
        headers = self._validators.get(url, {})
        answer = await self._outbound().get(
            url, headers=headers, max_bytes=limit, timeout=self._timeout
        )
        if answer.status == _UNCHANGED or answer.status in _ABSENT:
            return None
        if not answer.ok:
            raise AppError(502, "bad_answer", address=url)
        if len(self._validators) >= _MOST_REMEMBERED:
            self._validators.clear()
        self._validators[url] = {
            header: answer.headers[name]
            for name, header in _VALIDATORS.items()
            if name in answer.headers
        }
        return answer.body

    def forget(self, url: str) -> None:
        """Drop the validators of a file that could not be used, so that it is fetched again."""
        self._validators.pop(url, None)
