"""Checks a response before any of its body is written."""

from typing import Literal, NamedTuple

from quartet.downloads.transfer.checkpoint import Identity
from quartet.downloads.transfer.encodings import DECODABLE, transfer_encoding
from quartet.downloads.transfer.headers import ResponseHead
from quartet.downloads.transfer.pages import is_container, is_web_page
from quartet.kernel.errors import Problem

GONE = (404, 410)

# changed: the server has another version of the file; ignored: the server does not support ranges;
# status: an error status; broken: the connection failed; fatal: a retry cannot help;
# local: the part file cannot be written.
ErrorKind = Literal["changed", "ignored", "status", "broken", "fatal", "local"]

_LONGEST_ENCODING = 40


class ExpectedResponse(NamedTuple):
    start: int
    ranged: bool = True
    known: Identity | None = None
    page_expected: bool = False
    opens_containers: bool = False


class AcceptedResponse(NamedTuple):
    """The body holds the bytes from the requested start up to `end`; the file has `size` bytes."""

    end: int | None
    size: int | None
    ranges: bool
    # How the body is compressed; its length says nothing about the file then.
    encoding: str = ""


class TransferError(Exception):
    def __init__(
        self,
        kind: ErrorKind,
        problem: Problem,
        *,
        retry_after: float | None = None,
        offline: bool = False,
        final: bool = False,
    ) -> None:
        super().__init__(problem.code)
        self.kind = kind
        self.problem = problem
        self.retry_after = retry_after
        self.offline = offline
        # Another attempt would fail in the same way.
        self.final = final or offline or kind in ("fatal", "local")


def check_response(
    head: ResponseHead, expected: ExpectedResponse, url: str = ""
) -> AcceptedResponse:
    """`url` is the address that was requested."""
    if head.status == 416:
        return _check_unsatisfied(head, expected)
    if head.status not in (200, 206):
        raise _status_error(head)
    if is_page(head) and not expected.page_expected:
        raise web_page("")
    if expected.opens_containers and is_container(head.fields, url, head.length):
        raise leads_to_container()
    if encoding := transfer_encoding(head, url):
        return _check_encoded(head, expected, encoding)
    return _check_partial(head, expected) if head.status == 206 else _check_whole(head, expected)


def check_ftp_response(head: ResponseHead, expected: ExpectedResponse) -> AcceptedResponse:
    """Check an FTP response, which only has a size that is sent before the first byte."""
    size = head.ftp_size
    if expected.known and size != expected.known.size:
        raise file_changed()
    return AcceptedResponse(size, size, ranges=size is not None)


def is_page(head: ResponseHead) -> bool:
    """Return whether an HTML page was sent instead of a file: a login, an error or an advert."""
    return is_web_page(head.fields)


def web_page(text: str) -> TransferError:
    return TransferError("status", Problem("web_page", {"text": text}))


def leads_to_container() -> TransferError:
    return TransferError("fatal", Problem("leads_to_container"))


def file_changed() -> TransferError:
    return TransferError("changed", Problem("file_changed"))


def stalled(seconds: float = 0) -> TransferError:
    return TransferError("broken", Problem("stalled", {"seconds": round(seconds)}))


def range_ignored() -> TransferError:
    return TransferError("ignored", Problem("range_ignored"))


def _check_encoded(
    head: ResponseHead, expected: ExpectedResponse, encoding: str
) -> AcceptedResponse:
    """Accept a compressed body only as a whole: ranges would count compressed bytes."""
    if encoding not in DECODABLE:
        problem = Problem("encoding_unsupported", {"encoding": encoding[:_LONGEST_ENCODING]})
        raise TransferError("fatal", problem)
    if head.status == 206 or expected.known:
        raise range_ignored()
    return AcceptedResponse(None, None, ranges=False, encoding=encoding)


def _check_partial(head: ResponseHead, expected: ExpectedResponse) -> AcceptedResponse:
    found = head.range
    if not expected.ranged or head.kind == "multipart/byteranges":
        raise range_ignored()
    if found is None or found.total is None or found.start != expected.start:
        raise range_ignored()
    _compare(head, found.total, expected)
    return AcceptedResponse(found.end, found.total, ranges=True)


def _check_whole(head: ResponseHead, expected: ExpectedResponse) -> AcceptedResponse:
    if expected.known is None:
        return AcceptedResponse(head.length, head.length, ranges=False)
    if head.length is not None:
        _compare(head, head.length, expected)
    raise range_ignored()


def _check_unsatisfied(head: ResponseHead, expected: ExpectedResponse) -> AcceptedResponse:
    total = head.unsatisfied_total
    if total == 0 and expected.known is None:
        return AcceptedResponse(0, 0, ranges=True)
    if total is not None and expected.known and total != expected.known.size:
        raise file_changed()
    raise range_ignored()


def _compare(head: ResponseHead, size: int, expected: ExpectedResponse) -> None:
    if expected.known and expected.known.differs(Identity(size, head.etag, head.modified)):
        raise file_changed()


def _status_error(head: ResponseHead) -> TransferError:
    status, problem = head.status, status_problem(head.status)
    if status in GONE:
        return TransferError("status", problem, offline=True)
    if status in (401, 403, 451):
        return TransferError("status", problem, final=status != 403)
    return TransferError("status", problem, retry_after=head.retry_after)


def status_problem(status: int) -> Problem:
    """Return why a server that answers with this status sends no file."""
    if status in GONE:
        return Problem("file_offline", {"status": status})
    if status in (401, 403):
        return Problem("forbidden_by_server", {"status": status})
    if status == 451:
        return Problem("blocked_legally")
    if status in (429, 503):
        return Problem("busy", {"status": status})
    if status == 509:
        return Problem("bandwidth_used_up")
    return Problem("server_error", {"status": status})
