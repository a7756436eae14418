"""Maps curl errors to error codes."""

from quartet.downloads.transfer.responses import ErrorKind, TransferError, range_ignored
from quartet.kernel.errors import Problem

# The numbers are part of libcurl's stable interface.
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
_NOT_CONNECTED = 7
_UNTRUSTED = 60
_WEIRD_REPLY = (1, 8, 100)  # not HTTP, malformed, or a head that is too large
_FATAL = (60, 77)  # a retry does not fix a certificate
_DENIED = 9
_LOGIN_DENIED = 67
_BROKEN_BODY = (16, 18, 56, 92, 95)
_NO_REST = 31
_GONE = (19, 78)


def error_of_curl(
    code: int,
    received: bool,
    *,
    is_sftp: bool = False,
    host_key: str = "",
    proxied: bool = False,
) -> TransferError:
    """`received`: the body had begun when the transfer ended. `host_key`: that of the server."""
    if is_sftp and code == _UNTRUSTED:
        return TransferError("fatal", Problem("host_key_changed", {"key": host_key}))
    if code == 0 or (received and code in _BROKEN_BODY):
        return TransferError("broken", Problem("closed_early"))
    if code == _BAD_ADDRESS:
        return TransferError("fatal", Problem("bad_address"))
    if code in _GONE:
        return TransferError("status", Problem("file_offline", {"status": 550}), offline=True)
    if code == _LOGIN_DENIED:
        # FTP servers also refuse logins while there are too many.
        kind: ErrorKind = "fatal" if is_sftp else "status"
        return TransferError(
            kind, Problem("login_refused", {"protocol": "sftp" if is_sftp else "ftp"})
        )
    if code == _DENIED:
        return TransferError("status", Problem("forbidden_by_server", {"status": 530}))
    if code == _NO_REST:
        return range_ignored()
    if code in _WEIRD_REPLY:
        return TransferError("broken", Problem("bad_headers"))
    # Through a proxy, only the proxy itself is connected to.
    reason = "proxy" if proxied and code == _NOT_CONNECTED else _REASONS.get(code, "connection")
    kind = "fatal" if code in _FATAL else "broken"
    return TransferError(kind, Problem("network_error", {"reason": reason}))
