"""The only module that uses libcurl, because pycurl has no types."""

import os
import select
import socket
import ssl
import time
from base64 import b64encode
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache, partial
from hashlib import sha256
from typing import Any, Protocol
from urllib.parse import urlsplit

import pycurl  # type: ignore[import-untyped]

from quartet.downloads.transfer.types import ServerCredentials

PAUSE: int = pycurl.WRITEFUNC_PAUSE
ABORT = -1
WRITE_ERROR: int = pycurl.E_WRITE_ERROR

_BUFFER = 512 * 1024
# libcurl fills it up to ten times at once, and the bytes should still be in the processor's cache
# when they are written; see `Transfer.collect`.
_ENCRYPTED_BUFFER = 64 * 1024
# In the order of browsers. Decrypting AES with 128 bits takes a quarter less CPU time than with
# 256 bits, which OpenSSL prefers; most servers let the client choose.
_TLS_CIPHERS = "TLS_AES_128_GCM_SHA256:TLS_CHACHA20_POLY1305_SHA256:TLS_AES_256_GCM_SHA384"
# The same for TLS 1.2; all others that OpenSSL offers by default follow.
_TLS12_CIPHERS = (
    "ECDHE-ECDSA-AES128-GCM-SHA256:ECDHE-RSA-AES128-GCM-SHA256:"
    "ECDHE-ECDSA-CHACHA20-POLY1305:ECDHE-RSA-CHACHA20-POLY1305:"
    "ECDHE-ECDSA-AES256-GCM-SHA384:ECDHE-RSA-AES256-GCM-SHA384:"
    "ALL:!COMPLEMENTOFDEFAULT:!eNULL"
)
_KEPT_CONNECTIONS = 64
_SUPPRESS_CONNECT_HEADERS = (
    265  # missing in pycurl; drops the headers of a proxy's CONNECT response
)
_EPOLL_IN, _EPOLL_OUT = select.EPOLLIN, select.EPOLLOUT


@dataclass(frozen=True)
class TrustFiles:
    """Authorities of TLS certificates, and for SFTP known host keys and the own private key."""

    ca_file: str | None = None
    known_hosts: str | None = None
    ssh_key: str | None = None


@dataclass(frozen=True)
class CurlRequest:
    url: str = field(repr=False)
    start: int | None = None  # None requests the whole file
    end: int | None = None
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    cookies: tuple[str, ...] = field(default=(), repr=False)  # in libcurl's cookie format
    user_agent: str = ""
    proxy: str | None = field(default=None, repr=False)
    connect_timeout: float = 20
    trust: TrustFiles = TrustFiles()
    login: ServerCredentials | None = None

    @property
    def is_ftp(self) -> bool:
        """SFTP works like FTP: there are no headers, and a request goes to the end of the file."""
        return self.url[:4].lower() == "ftp:" or self.is_sftp

    @property
    def is_plain(self) -> bool:
        """Whether nothing is encrypted, neither by the server nor by a proxy."""
        return self.url[:5].lower() == "http:" and not self.proxy

    @property
    def is_sftp(self) -> bool:
        return self.url[:5].lower() == "sftp:"


class CurlListener(Protocol):
    @property
    def header(self) -> Callable[[bytes], int | None]: ...
    def receive(self, data: bytes) -> int | None: ...
    def permits(self, address: str) -> bool: ...
    def size(self, left: int) -> None: ...
    def host_key(self, fingerprint: str) -> None: ...


class Handle:
    """A reusable curl handle; its connections belong to the `Multi`."""

    def __init__(self) -> None:
        self.curl = pycurl.Curl()

    def prepare(self, request: CurlRequest, listener: CurlListener) -> None:
        """Set up the request; raises UnicodeError or ValueError for an invalid URL or header."""
        curl, option = self.curl, pycurl
        curl.setopt(option.COOKIEFILE, "")
        curl.setopt(option.COOKIELIST, "ALL")
        for cookie in request.cookies:
            curl.setopt(option.COOKIELIST, cookie)
        curl.setopt(option.URL, request.url.encode())
        curl.setopt(option.NOSIGNAL, 1)
        curl.setopt(option.BUFFERSIZE, _BUFFER if request.is_plain else _ENCRYPTED_BUFFER)
        curl.setopt(option.TCP_KEEPALIVE, 1)
        curl.setopt(option.CONNECTTIMEOUT_MS, max(1, int(request.connect_timeout * 1000)))
        curl.setopt(option.HTTP_VERSION, option.CURL_HTTP_VERSION_2TLS)
        curl.setopt(option.USERAGENT, request.user_agent.encode())
        curl.setopt(_SUPPRESS_CONNECT_HEADERS, 1)
        # Without this, libcurl would use a proxy from the environment.
        curl.setopt(option.PROXY, (request.proxy or "").encode())
        if not request.is_plain:
            curl.setopt(option.CAINFO, request.trust.ca_file or _ca_file(_ca_variable()))
            curl.setopt(option.TLS13_CIPHERS, _TLS_CIPHERS)
            curl.setopt(option.SSL_CIPHER_LIST, _TLS12_CIPHERS)
        curl.setopt(option.HTTPHEADER, _header_lines(request))
        if request.login:
            curl.setopt(option.USERNAME, request.login.user.encode())
            curl.setopt(option.PASSWORD, request.login.password.encode())
        curl.setopt(option.HEADERFUNCTION, listener.header)
        curl.setopt(option.WRITEFUNCTION, listener.receive)
        curl.setopt(option.OPENSOCKETFUNCTION, _socket_opener(listener))
        if request.is_sftp:
            self._prepare_sftp(request, listener)
        if request.is_ftp:
            curl.setopt(option.RESUME_FROM_LARGE, request.start or 0)
        elif request.start is not None:
            last = "" if request.end is None else request.end - 1
            curl.setopt(option.RANGE, f"{request.start}-{last}")

    def _prepare_sftp(self, request: CurlRequest, listener: CurlListener) -> None:
        curl, option, trust = self.curl, pycurl, request.trust
        curl.setopt(option.HTTPPROXYTUNNEL, 1)
        # Without this file, libcurl would accept every key.
        curl.setopt(option.SSH_KNOWNHOSTS, (trust.known_hosts or os.devnull).encode())
        curl.setopt(option.SSH_KEYFUNCTION, partial(_judge_host_key, listener))
        # By default, libcurl would also use the keys and the agent of the user who runs the server.
        allowed = option.SSH_AUTH_PASSWORD | option.SSH_AUTH_KEYBOARD
        has_password = request.login or urlsplit(request.url).password is not None
        if trust.ssh_key and not has_password:
            allowed |= option.SSH_AUTH_PUBLICKEY
            curl.setopt(option.SSH_PRIVATE_KEYFILE, trust.ssh_key.encode())
        curl.setopt(option.SSH_AUTH_TYPES, allowed)
        curl.setopt(option.NOPROGRESS, 0)
        # The only way to learn the size before the first byte.
        curl.setopt(option.XFERINFOFUNCTION, lambda left, *_: listener.size(int(left)))

    def list_folder(
        self, command: str | None, seconds: float, is_stopped: Callable[[], bool]
    ) -> int:
        """Fetch the list of a folder, for which the handle is prepared; return the curl error.

        Blocks until the list has arrived. `command` replaces LIST.
        """
        curl, option = self.curl, pycurl
        # Otherwise, a proxy would make a web page of the list.
        curl.setopt(option.HTTPPROXYTUNNEL, 1)
        curl.setopt(option.TIMEOUT_MS, int(seconds * 1000))
        curl.setopt(option.NOPROGRESS, 0)
        curl.setopt(option.XFERINFOFUNCTION, lambda *_: ABORT if is_stopped() else 0)
        if command:
            curl.setopt(option.CUSTOMREQUEST, command)
        try:
            curl.perform()
        except pycurl.error as error:
            return int(error.args[0])
        finally:
            curl.close()
        return 0

    def clear(self) -> None:
        """Reset the handle, which also releases the last listener."""
        self.curl.reset()

    def set_receiver(self, receive: Callable[[bytes], int | None]) -> None:
        """Replace `receive` of the listener; not allowed inside libcurl's callbacks."""
        self.curl.setopt(pycurl.WRITEFUNCTION, receive)

    def unpause(self) -> int:
        """Continue a paused request; return the curl error that ended it, or 0."""
        try:
            self.curl.pause(pycurl.PAUSE_CONT)
        except pycurl.error as error:
            return int(error.args[0])
        return 0

    @property
    def redirect_url(self) -> str:
        return str(self.curl.getinfo(pycurl.REDIRECT_URL) or "")

    @property
    def cookies(self) -> tuple[str, ...]:
        return tuple(self.curl.getinfo(pycurl.INFO_COOKIELIST))


class Multi:
    """Drives many handles in one thread, which sleeps until a socket or a timer is ready."""

    def __init__(self) -> None:
        self._multi = pycurl.CurlMulti()
        self._multi.setopt(pycurl.M_SOCKETFUNCTION, self._watch)
        self._multi.setopt(pycurl.M_TIMERFUNCTION, self._set_timer)
        self._multi.setopt(pycurl.M_MAXCONNECTS, _KEPT_CONNECTIONS)
        # Segments on one HTTP/2 connection would share its speed, so each gets its own connection.
        self._multi.setopt(pycurl.M_PIPELINING, 0)
        self._epoll = select.epoll()
        self._watched: set[int] = set()
        self._timer: float | None = None
        self._woken = os.eventfd(0, os.EFD_NONBLOCK | os.EFD_CLOEXEC)
        self._epoll.register(self._woken, _EPOLL_IN)

    def add(self, handle: Handle) -> None:
        self._multi.add_handle(handle.curl)

    def remove(self, handle: Handle) -> None:
        self._multi.remove_handle(handle.curl)

    def wake(self) -> None:
        """Interrupt `perform`; may be called from any thread."""
        os.eventfd_write(self._woken, 1)

    def perform(self, seconds: float, collect: Callable[[], None]) -> list[tuple[Any, int]]:
        """Process ready sockets; return the handles that ended, each with its curl error or 0.

        Calls `collect` after each socket, while its bytes are still in the cache of the processor.
        """
        for fd, events in self._epoll.poll(self._poll_timeout(seconds)):
            if fd == self._woken:
                os.eventfd_read(fd)
            elif fd in self._watched:
                self._multi.socket_action(fd, _ready(events))
                collect()
        if self._timer is not None and time.monotonic() >= self._timer:
            self._timer = None
            self._multi.socket_action(pycurl.SOCKET_TIMEOUT, 0)
            collect()
        return self._ended()

    def close(self) -> None:
        self._multi.close()
        self._epoll.close()
        os.close(self._woken)

    def _poll_timeout(self, seconds: float) -> float:
        if self._timer is None:
            return seconds
        return max(0.0, min(seconds, self._timer - time.monotonic()))

    def _ended(self) -> list[tuple[Any, int]]:
        ended: list[tuple[Any, int]] = []
        while True:
            left, fine, failed = self._multi.info_read()
            ended += [(curl, 0) for curl in fine] + [(each[0], each[1]) for each in failed]
            if not left:
                return ended

    def _watch(self, what: int, fd: int, _multi: object, _data: object) -> None:
        if what == pycurl.POLL_REMOVE:
            self._watched.discard(fd)
            # A closed socket was already removed from epoll.
            try:
                self._epoll.unregister(fd)
            except OSError:
                return
            return
        wanted = (_EPOLL_IN if what & pycurl.POLL_IN else 0) | (
            _EPOLL_OUT if what & pycurl.POLL_OUT else 0
        )
        try:
            self._epoll.modify(fd, wanted)
        except FileNotFoundError:
            self._epoll.register(fd, wanted)
        self._watched.add(fd)

    def _set_timer(self, milliseconds: int) -> None:
        self._timer = None if milliseconds < 0 else time.monotonic() + milliseconds / 1000


def _ready(events: int) -> int:
    ready: int = pycurl.CSELECT_IN if events & _EPOLL_IN else 0
    ready |= pycurl.CSELECT_OUT if events & _EPOLL_OUT else 0
    ready |= pycurl.CSELECT_ERR if events & (select.EPOLLERR | select.EPOLLHUP) else 0
    return ready


def _socket_opener(listener: CurlListener) -> Any:
    def open_socket(_purpose: int, target: Any) -> Any:
        family, kind, protocol, address = target
        inet = family in (socket.AF_INET, socket.AF_INET6)
        if not inet or not listener.permits(str(address[0])):
            return pycurl.SOCKET_BAD
        return _LentSocket(socket.socket(family, kind, protocol).detach())

    return open_socket


class _LentSocket:
    """A socket for pycurl, which duplicates it; an unclosed `socket` would raise a warning."""

    def __init__(self, fd: int) -> None:
        self._fd = fd

    def fileno(self) -> int:
        return self._fd

    def __del__(self) -> None:
        os.close(self._fd)


def _judge_host_key(listener: CurlListener, _known: object, found: Any, match: int) -> int:
    """Trust a server on first use; refuse one whose key has changed."""
    if match != pycurl.KHMATCH_OK:
        listener.host_key(_fingerprint(found.key))
    answers = {
        pycurl.KHMATCH_OK: pycurl.KHSTAT_FINE,
        pycurl.KHMATCH_MISSING: pycurl.KHSTAT_FINE_ADD_TO_FILE,
    }
    return int(answers.get(match, pycurl.KHSTAT_REJECT))


def _fingerprint(key: bytes) -> str:
    """Return it as OpenSSH shows it."""
    return "SHA256:" + b64encode(sha256(key).digest()).decode().rstrip("=")


def _header_lines(request: CurlRequest) -> list[bytes]:
    sent = {"Accept": "*/*", "Accept-Encoding": "identity", **request.headers}
    lines = [f"{name}: {text}" for name, text in sent.items()]
    text = "\t".join(lines)
    if "\r" in text or "\n" in text or "\0" in text:
        raise ValueError("a header with a line break")
    return [line.encode() for line in lines]


def _ca_variable() -> str | None:
    return os.environ.get("SSL_CERT_FILE")


@cache
def _ca_file(_variable: str | None) -> str:
    """Return the file of trusted authorities; searching for it takes several system calls."""
    paths = ssl.get_default_verify_paths()
    return paths.cafile or paths.openssl_cafile
