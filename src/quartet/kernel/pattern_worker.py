"""Child process that compiles and runs regular expressions written by users.

Started by `quartet.kernel.user_patterns` as `python -m quartet.kernel.pattern_worker`; it ends when
its input does. A hostile pattern can use up this process but not the server: memory is limited by
the kernel, and a timer of CPU seconds ends the process without any help from Python.
"""

import re
import resource
import signal
import sys
from pathlib import Path
from typing import Any, BinaryIO, Protocol

import msgspec

MEMORY_BYTES = 24 << 20
CPU_SECONDS = 0.3
# The limit for one text. A pattern that needs longer backtracks without end.
MATCH_SECONDS = 0.2
# CPU seconds for all texts of a request; a usable pattern needs milliseconds.
ALL_MATCHES_SECONDS = 0.5
_GROUP = re.compile(r"\$(?:(\d{1,2})|\{(\w{1,40})\}|(\$))")


class PatternRequest(msgspec.Struct, frozen=True):
    """`replacement` may contain `$1` and `${name}`; without one, only positions are returned."""

    pattern: str
    case_sensitive: bool
    # Encoded, because file names may hold bytes that are not valid text.
    texts: list[bytes]
    replacement: str | None = None
    # 0 replaces every match.
    count: int = 0


class PatternReply(msgspec.Struct, frozen=True):
    """Either `replaced` or `spans`, one entry per text, or `error` with its input."""

    replaced: list[bytes] | None = None
    spans: list[tuple[int, int] | None] | None = None
    error: str | None = None
    position: int = 0
    group: str = ""


class _Match(Protocol):
    def group(self, name: int | str) -> str | None: ...


class _UnknownGroup(Exception):
    pass


def main() -> None:
    _regex()
    _limit_memory()
    requests, replies = sys.stdin.buffer, sys.stdout.buffer
    while (request := read_frame(requests)) is not None:
        reply = _answer(msgspec.msgpack.decode(request, type=PatternRequest))
        write_frame(replies, msgspec.msgpack.encode(reply))


def encode_text(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def decode_text(encoded: bytes) -> str:
    return encoded.decode("utf-8", "surrogatepass")


def read_frame(stream: BinaryIO) -> bytes | None:
    header = stream.read(4)
    return stream.read(int.from_bytes(header, "big")) if len(header) == 4 else None


def write_frame(stream: BinaryIO, body: bytes) -> None:
    stream.write(len(body).to_bytes(4, "big") + body)
    stream.flush()


def _answer(request: PatternRequest) -> PatternReply:
    regex = _regex()
    # Nobody handles SIGPROF, so it ends the process even inside a single C call.
    signal.setitimer(signal.ITIMER_PROF, CPU_SECONDS)
    try:
        flags = regex.VERSION0 | (0 if request.case_sensitive else regex.IGNORECASE)
        compiled = regex.compile(request.pattern, flags)
        signal.setitimer(signal.ITIMER_PROF, ALL_MATCHES_SECONDS)
        return _run(compiled, request)
    except MemoryError:
        return PatternReply(error="too_large")
    except TimeoutError:
        return PatternReply(error="too_slow")
    except _UnknownGroup as unknown:
        return PatternReply(error="group_unknown", group=str(unknown))
    except (regex.error, OverflowError, RecursionError, ValueError) as error:
        return PatternReply(error="invalid", position=getattr(error, "pos", None) or 0)
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        # The module keeps compiled patterns; the next request has another one.
        regex.purge()


def _run(compiled: Any, request: PatternRequest) -> PatternReply:
    texts = [decode_text(encoded) for encoded in request.texts]
    if request.replacement is None:
        found = [compiled.search(text, timeout=MATCH_SECONDS) for text in texts]
        return PatternReply(spans=[match.span() if match else None for match in found])
    template = request.replacement

    def expand(match: _Match) -> str:
        return _GROUP.sub(lambda mark: _group(match, mark), template)

    return PatternReply(
        replaced=[
            encode_text(compiled.sub(expand, text, count=request.count, timeout=MATCH_SECONDS))
            for text in texts
        ]
    )


def _group(match: _Match, mark: re.Match[str]) -> str:
    """Return the text of a group; a group that did not take part in the match is empty."""
    if mark[3]:
        return "$"
    try:
        return match.group(int(mark[1]) if mark[1] else mark[2]) or ""
    except IndexError:
        raise _UnknownGroup(mark[0]) from None


def _regex() -> Any:
    """Import the library here, because the server only needs the types of this module."""
    import regex  # type: ignore[import-untyped]

    return regex


def _limit_memory() -> None:
    used = int(Path("/proc/self/statm").read_text().split()[5]) * resource.getpagesize()
    for limit, value in (
        (resource.RLIMIT_DATA, used + MEMORY_BYTES),
        (resource.RLIMIT_FSIZE, 0),
        (resource.RLIMIT_CORE, 0),
    ):
        resource.setrlimit(limit, (value, value))


if __name__ == "__main__":
    main()
