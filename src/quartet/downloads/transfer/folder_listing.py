"""Asks an FTP or SFTP server for the list of files in a folder."""

from collections.abc import Callable
from dataclasses import dataclass, field

from quartet.downloads.transfer.curl import ABORT, CurlRequest, Handle, TrustFiles
from quartet.downloads.transfer.curl_errors import error_of_curl
from quartet.downloads.transfer.redirects import RedirectPolicy
from quartet.downloads.transfer.responses import TransferError
from quartet.downloads.transfer.types import ServerCredentials
from quartet.kernel.errors import Problem

SECONDS = 60.0
MOST_BYTES = 16 * 1024 * 1024
# The server does not know MLSD, which gives a list in one defined form.
_UNKNOWN_COMMAND = 19
# The server did not change to the folder.
_NO_FOLDER = 9


@dataclass
class _Listener:
    """Collects the list; of one that is too long, the beginning."""

    request: CurlRequest
    policy: RedirectPolicy
    data: bytearray = field(default_factory=bytearray)
    full: bool = False
    forbidden: bool = False
    fingerprint: str = ""

    def header(self, line: bytes) -> int | None:
        return None

    def receive(self, data: bytes) -> int | None:
        self.full = len(self.data) + len(data) > MOST_BYTES
        if self.full:
            return ABORT
        self.data += data
        return None

    def permits(self, address: str) -> bool:
        allowed = bool(self.request.proxy) or self.policy.permits(self.request.url, address)
        self.forbidden = self.forbidden or not allowed
        return allowed

    def size(self, left: int) -> None:
        pass

    def host_key(self, fingerprint: str) -> None:
        self.fingerprint = fingerprint


def list_folder(
    url: str,
    policy: RedirectPolicy,
    trust: TrustFiles,
    *,
    proxy: str | None = None,
    login: ServerCredentials | None = None,
    is_stopped: Callable[[], bool] = lambda: False,
) -> bytes:
    """Return the list as the server sends it: the answer to MLSD, or that to LIST."""
    policy.check_host(url)
    request = CurlRequest(url, proxy=proxy, trust=trust, login=login)
    if request.is_sftp:
        return _listing(request, policy, None, is_stopped)
    try:
        return _listing(request, policy, "MLSD", is_stopped)
    except _UnknownCommandError:
        return _listing(request, policy, None, is_stopped)


class _UnknownCommandError(Exception):
    pass


def _listing(
    request: CurlRequest,
    policy: RedirectPolicy,
    command: str | None,
    is_stopped: Callable[[], bool],
) -> bytes:
    handle, listener = Handle(), _Listener(request, policy)
    try:
        handle.prepare(request, listener)
    except (UnicodeError, ValueError):
        raise TransferError("fatal", Problem("bad_address")) from None
    code = handle.list_folder(command, SECONDS, is_stopped)
    if listener.forbidden:
        raise policy.forbidden(request.url)
    if code == 0 or listener.full:
        return bytes(listener.data)
    if command and code == _UNKNOWN_COMMAND:
        raise _UnknownCommandError
    if code == _NO_FOLDER:
        raise TransferError("status", Problem("file_offline", {"status": 550}), offline=True)
    raise error_of_curl(
        code,
        bool(listener.data),
        is_sftp=request.is_sftp,
        host_key=listener.fingerprint,
        proxied=bool(request.proxy),
    )
