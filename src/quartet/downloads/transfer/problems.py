"""What libcurl says, as codes a person can be told."""

from quartet.downloads.transfer.answers import Kind, Refused, ignored
from quartet.kernel.errors import Problem

# The numbers are part of libcurl's interface and never change.
_REASONS = {
    5: "proxy",
    6: "dns",
    7: "connect",
    28: "timeout",
    35: "tls",
    52: "no_answer",
    60: "certificate",
    97: "proxy",
}
_BAD_ADDRESS = 3
_WEIRD_REPLY = (1, 8, 100)  # no HTTP at all, nonsense, or a head that is too large
_HOPELESS = (60, 77)  # certificates do not get better by asking again
_DENIED = (9, 67)
_BROKEN_BODY = (16, 18, 56, 92, 95)
_NO_REST = 31
_GONE = (19, 78)


def refusal_of(code: int, received: bool) -> Refused:
    """`received` says whether the body had begun when the transfer ended."""
    if code == 0 or (received and code in _BROKEN_BODY):
        return Refused("broken", Problem("closed_early"))
    if code == _BAD_ADDRESS:
        return Refused("fatal", Problem("bad_address"))
    if code in _GONE:
        return Refused("status", Problem("file_offline", {"status": 550}), offline=True)
    if code in _DENIED:
        return Refused("status", Problem("forbidden_by_server", {"status": 530}))
    if code == _NO_REST:
        return ignored()
    if code in _WEIRD_REPLY:
        return Refused("broken", Problem("bad_headers"))
    reason = _REASONS.get(code, "connection")
    kind: Kind = "fatal" if code in _HOPELESS else "broken"
    return Refused(kind, Problem("network_error", {"reason": reason}))
