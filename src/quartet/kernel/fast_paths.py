"""Answers for very frequent requests, without a task: computed ones, and files in memory.

Computed ones can be kept for the next client that asks.
"""

import asyncio
from collections.abc import Callable, Collection, Coroutine, Hashable, Mapping
from typing import Any, NamedTuple

from quartet.kernel.compression import (
    SMALLEST_BYTES,
    accepted_encoding,
    caching_line,
    compress,
)

# Maps the query string of a request to the JSON of the response, or to None if the request needs
# the normal route. It must only read: if it has to wait, it is closed and the route starts over.
FastPath = Callable[[bytes], Coroutine[Any, Any, bytes | None]]
# Returns something else whenever answers may have changed.
FastVersion = Callable[[], object]


class FileInMemory(NamedTuple):
    """Headers are lines with their ends; the ETag of the request has not been compared."""

    headers: bytes
    body: bytes


# Maps a path and its query string to a file, or to None if the request needs the normal route.
FastFile = Callable[[str, bytes], FileInMemory | None]

# About a thousand compressed forecasts.
_MOST_BYTES = 8 * 1024 * 1024


class Answer(NamedTuple):
    """`head` has places for the length of the body and the id of the request."""

    head: bytes
    body: bytes


class AnswerCache:
    """All answers are of one version; the oldest ones make room for new ones."""

    def __init__(self, most_bytes: int = _MOST_BYTES) -> None:
        self._most_bytes = most_bytes
        self._version: object = None
        self._answers: dict[Hashable, Answer] = {}
        self._bytes = 0

    def get(self, version: object, key: Hashable) -> Answer | None:
        if version != self._version:
            self._version = version
            self._answers.clear()
            self._bytes = 0
        return self._answers.get(key)

    def add(self, key: Hashable, answer: Answer) -> None:
        """Add an answer of the version that `get` was called with."""
        self._answers[key] = answer
        self._bytes += len(answer.body)
        while self._bytes > self._most_bytes:
            oldest = next(iter(self._answers))
            self._bytes -= len(self._answers.pop(oldest).body)


class FastPaths:
    """`seconds` says how long clients may keep the answers of a path, None for not at all.

    With a `version`, answers are kept here, compressed, for as long as it stays the same.
    """

    def __init__(
        self,
        paths: Mapping[str, FastPath],
        seconds: Callable[[str], int | None],
        version: FastVersion | None,
        headers: Collection[tuple[bytes, bytes]],
        files: Mapping[str, FastFile] | None = None,
    ) -> None:
        self._paths = paths
        self._files = files or {}
        self._beginnings = tuple(self._files)
        self._seconds = {path: seconds(path) for path in paths}
        self._version = version
        self._cache = AnswerCache()
        security = b"".join(b"%b: %b\r\n" % each for each in headers)
        self._file_head = b"content-length: %d\r\nx-request-id: %b\r\n" + security + b"\r\n"
        self._head = b"content-type: application/json\r\n" + self._file_head

    def __contains__(self, path: str) -> bool:
        return path in self._paths or path.startswith(self._beginnings)

    def answer(self, path: str, scope: Mapping[str, Any]) -> Answer | None:
        """Return the answer, or None if it is not available without waiting."""
        query = scope["query_string"]
        if path not in self._paths:
            return self._file(path, query, scope["headers"])
        seconds = self._seconds[path]
        encoding = "" if seconds is None else accepted_encoding(_accept_encoding(scope))
        if self._version is None:
            return self._new_answer(path, query, encoding)
        key = path, query, encoding
        found = self._cache.get(self._version(), key)
        if found is None:
            found = self._new_answer(path, query, encoding)
            if found is not None:
                self._cache.add(key, found)
        return found

    def _file(
        self, path: str, query: bytes, headers: Collection[tuple[bytes, bytes]]
    ) -> Answer | None:
        """Return a file, unless the client may have it already; the route compares that."""
        if any(name == b"if-none-match" for name, _ in headers):
            return None
        find = next(each for start, each in self._files.items() if path.startswith(start))
        found = find(path, query)
        return found and Answer(found.headers + self._file_head, found.body)

    def _new_answer(self, path: str, query: bytes, encoding: str) -> Answer | None:
        body = _run_without_waiting(self._paths[path](query))
        if body is None:
            return None
        head, seconds = self._head, self._seconds[path]
        if seconds is not None:
            head = b"vary: accept-encoding\r\ncache-control: %b\r\n" % caching_line(seconds) + head
            if encoding and len(body) >= SMALLEST_BYTES:
                head = b"content-encoding: %b\r\n" % encoding.encode() + head
                body = compress(body, encoding)
        return Answer(head, body)


def _accept_encoding(scope: Mapping[str, Any]) -> str:
    found = (value for name, value in scope["headers"] if name == b"accept-encoding")
    return next(found, b"").decode("latin-1")


def _run_without_waiting(coroutine: Coroutine[Any, Any, bytes | None]) -> bytes | None:
    """Return the result if the coroutine finishes without waiting, otherwise close it."""
    try:
        waited_for = coroutine.send(None)
    except StopIteration as done:
        result: bytes | None = done.value
        return result
    coroutine.close()
    if waited_for is not None:
        waited_for.add_done_callback(_ignore_outcome)
    return None


def _ignore_outcome(future: asyncio.Future[Any]) -> None:
    """Read the error, such as one of the database, which would be logged as never retrieved."""
    if not future.cancelled():
        future.exception()
