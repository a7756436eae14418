"""Log formats for terminals and for machines; each line contains the request id."""

import asyncio
import logging
import re
import sys
from collections.abc import Mapping
from contextvars import ContextVar
from datetime import UTC, datetime
from typing import Any

import msgspec

from quartet.kernel.errors import Problem

request_id: ContextVar[str] = ContextVar("request_id", default="")

# A last resort: secrets should not be passed to the log at all. A quoted secret ends at the quote,
# others at white space; a Cookie header can contain several.
_SECRETS = re.compile(
    r"""
    ((?:authorization|password|passwd|secret|token|api[-_]?key)["']?\s*[=:]\s*(["'])?
        (?:bearer\ |basic\ )?)
        (?(2)(?:\\.|(?!\2)[^\\\n])+|[^\s"&,;]+)
    |(cookie["']?\s*[=:]\s*(["'])?)
        (?(4)(?:\\.|(?!\4)[^\\\n])+|[^\s;]+(?:;\s*[^\s;]+)*)
    |(?<=://)[^/\s:@]*:[^/\s@]+(?=@)
    """,
    re.IGNORECASE | re.VERBOSE,
)


# Every secret that is found has one of these near it. Looking for them first takes a tenth of the
# time, and most messages have none.
_NEAR_SECRETS = ("auth", "passw", "secret", "token", "key", "cook", "://")


def without_secrets(text: str) -> str:
    if not any(map(text.casefold().__contains__, _NEAR_SECRETS)):
        return text
    return _SECRETS.sub(lambda match: (match[1] or match[3] or "") + "***", text)


# The rest of an address may contain credentials or a token.
_ADDRESS = re.compile(r"\b[a-z][a-z0-9+.-]*://(?:[^/\s?#]*@)?([^/\s?#:]*)\S*", re.IGNORECASE)


def problem_text(problem: Problem) -> str:
    """Return the code and the inputs of an error for the log, with hosts instead of addresses."""
    inputs = (f"{name}={value}" for name, value in problem.inputs.items())
    return _ADDRESS.sub(lambda match: match[1], " ".join((problem.code, *inputs)))


def one_line(text: str) -> str:
    """Escape control characters: a message stays on one line and cannot control a terminal."""
    if text.isprintable():
        return text
    return "".join(each if each.isprintable() else repr(each)[1:-1] for each in text)


def logged_path(scope: Mapping[str, Any]) -> str:
    """Return the path of a request, or its pattern if the path contains a secret.

    Such routes are marked: `@get("/api/calendar/{file:str}", secret_path=True)`.
    """
    handler = scope.get("route_handler")
    secret = handler is not None and handler.opt.get("secret_path")
    path: str = scope["path_template"] if secret else scope["path"]
    return path


class ConsoleFormatter(logging.Formatter):
    def format(self, record: logging.LogRecord) -> str:
        moment = datetime.fromtimestamp(record.created, UTC).astimezone()
        ident = request_id.get()
        text = (
            f"{moment:%H:%M:%S} {record.levelname.lower():7} {record.name:18} "
            f"{one_line(record.getMessage())}{f' [{ident}]' if ident else ''}"
        )
        if record.exc_info:
            text += "\n" + self.formatException(record.exc_info)
        return without_secrets(text)


class JsonFormatter(logging.Formatter):
    def format(self, record: logging.LogRecord) -> str:
        line = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": without_secrets(record.getMessage()),
        }
        if ident := request_id.get():
            line["requestId"] = ident
        if record.exc_info:
            line["trace"] = without_secrets(self.formatException(record.exc_info))
        return msgspec.json.encode(line).decode()


_QUIET = ("uvicorn", "uvicorn.error", "alembic", "watchfiles", "aiohttp", "urllib3", "websockets")


def set_up_logging(level: str, style: str) -> None:
    """Configure logging.

    `style` is console, json, or auto: console at a terminal, otherwise json.
    """
    # The lines do not contain the place in the code, the thread or the process.
    logging._srcfile = None
    logging.logThreads = logging.logProcesses = logging.logMultiprocessing = False
    console = style == "console" or (style == "auto" and sys.stderr.isatty())
    handler = logging.StreamHandler()
    handler.setFormatter(ConsoleFormatter() if console else JsonFormatter())
    logging.basicConfig(level=level.upper(), handlers=[handler], force=True)
    # uvicorn and Alembic log start-up messages that repeat ours, and watchfiles every write to a
    # growing file. At debug level the others log addresses, headers and messages with tokens.
    for name in _QUIET:
        logging.getLogger(name).setLevel(max(logging.WARNING, logging.root.level))
    logging.getLogger("uvicorn.error").addFilter(is_no_cancellation)


def is_no_cancellation(record: logging.LogRecord) -> bool:
    """Return False for the error of a request that was cancelled.

    Only a server that stops cancels requests, perhaps thousands, and logs their number.
    """
    return not (record.exc_info and isinstance(record.exc_info[1], asyncio.CancelledError))
