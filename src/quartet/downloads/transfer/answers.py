"""Whether an answer is what was asked for; nothing is written before this has said yes."""

from dataclasses import dataclass
from typing import Literal

from quartet.downloads.transfer.control import Identity
from quartet.downloads.transfer.headers import Head
from quartet.kernel.errors import Problem

# changed: another version of the file; ignored: the server does not do ranges, whatever it says;
# status: the server says no; broken: the connection; fatal: asking again cannot help.
Kind = Literal["changed", "ignored", "status", "broken", "fatal"]

_PAGES = ("text/html", "application/xhtml+xml")


@dataclass(frozen=True)
class Asked:
    start: int
    ranged: bool = True
    known: Identity | None = None
    page_expected: bool = False


@dataclass(frozen=True)
class Accepted:
    """The body holds the bytes from the asked start up to `end`, out of `size`."""

    end: int | None
    size: int | None
    ranges: bool


class Refused(Exception):
    def __init__(
        self,
        kind: Kind,
        problem: Problem,
        *,
        retry_after: float | None = None,
        offline: bool = False,
    ) -> None:
        super().__init__(problem.code)
        self.kind = kind
        self.problem = problem
        self.retry_after = retry_after
        self.offline = offline


def judge(head: Head, asked: Asked) -> Accepted:
    if head.status == 416:
        return _unsatisfied(head, asked)
    if head.status not in (200, 206):
        raise _refused_status(head)
    if is_page(head) and not asked.page_expected:
        raise web_page("")
    return _part(head, asked) if head.status == 206 else _whole(head, asked)


def judge_ftp(head: Head, asked: Asked) -> Accepted:
    """FTP has no answers to check, only a size told before the first byte."""
    size = head.ftp_size
    if asked.known and size != asked.known.size:
        raise changed()
    return Accepted(size, size, ranges=size is not None)


def is_page(head: Head) -> bool:
    """A page where a file should come: a login, an error, an advertisement."""
    return head.kind in _PAGES and "content-disposition" not in head.fields


def web_page(text: str) -> Refused:
    return Refused("status", Problem("web_page", {"text": text}))


def changed() -> Refused:
    return Refused("changed", Problem("file_changed"))


def ignored() -> Refused:
    return Refused("ignored", Problem("range_ignored"))


def _part(head: Head, asked: Asked) -> Accepted:
    found = head.range
    if not asked.ranged or head.kind == "multipart/byteranges":
        raise ignored()
    if found is None or found.total is None or found.start != asked.start:
        raise ignored()
    _compare(head, found.total, asked)
    return Accepted(found.end, found.total, ranges=True)


def _whole(head: Head, asked: Asked) -> Accepted:
    if asked.known is None:
        return Accepted(head.length, head.length, ranges=False)
    if head.length is not None:
        _compare(head, head.length, asked)
    raise ignored()


def _unsatisfied(head: Head, asked: Asked) -> Accepted:
    total = head.unsatisfied_total
    if total == 0 and asked.known is None:
        return Accepted(0, 0, ranges=True)
    if total is not None and asked.known and total != asked.known.size:
        raise changed()
    raise ignored()


def _compare(head: Head, size: int, asked: Asked) -> None:
    if asked.known and asked.known.differs(Identity(size, head.etag, head.modified)):
        raise changed()


def _refused_status(head: Head) -> Refused:
    status = head.status
    if status in (404, 410):
        return Refused("status", Problem("file_offline", {"status": status}), offline=True)
    if status in (401, 403):
        return Refused("status", Problem("forbidden_by_server", {"status": status}))
    if status in (429, 503):
        problem = Problem("busy", {"status": status})
        return Refused("status", problem, retry_after=head.retry_after)
    if status == 509:
        return Refused("status", Problem("bandwidth_used_up"), retry_after=head.retry_after)
    problem = Problem("server_error", {"status": status})
    return Refused("status", problem, retry_after=head.retry_after)
