import ctypes
import errno
import os
import stat
import sys
from pathlib import Path
from typing import NoReturn

from quartet.downloads.transfer.ciphers import CounterMode
from quartet.kernel.errors import AppError
from quartet.kernel.files.errors import app_errors
from quartet.kernel.files.space import free_space, require_space

_MAX_CHUNKS = 512  # half of the system's limit
# A file up to this size is written at once, so that reserving its space would only cost time.
_SMALL = 128 * 1024
_libc = ctypes.CDLL(None, use_errno=True)


class PartFile:
    """The file a download is written to, by one thread at many positions.

    With a cipher, `write` takes and `read` returns the encrypted bytes of the server; the file
    itself is decrypted.
    """

    def __init__(self, path: Path, reserve: int, cipher: CounterMode | None = None) -> None:
        self._cipher = cipher
        self._path = path
        self._reserve = reserve
        # Whether the file did not exist before.
        self.new = True
        flags = os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK
        try:
            self.fd = os.open(path, flags | os.O_CREAT | os.O_EXCL, 0o644)
        except FileExistsError:
            self.new = False
            self._open_existing(flags)
        except OSError as error:
            self._raise_translated(error)

    def _open_existing(self, flags: int) -> None:
        try:
            self.fd = os.open(self._path, flags)
        except OSError as error:
            self._raise_translated(error)
        if not stat.S_ISREG(os.fstat(self.fd).st_mode):
            self.close()
            raise AppError(400, "path_invalid", path=self._path.name)

    def close(self) -> None:
        os.close(self.fd)

    def empty(self) -> None:
        try:
            if os.fstat(self.fd).st_size:
                os.ftruncate(self.fd, 0)
        except OSError as error:
            self._raise_translated(error)

    def allocate(self, size: int) -> None:
        """Reserve the disk space now, so that the disk cannot fill up during the download."""
        try:
            if size <= _SMALL:
                self.require_space(size)
                os.ftruncate(self.fd, size)
                return
            have = os.fstat(self.fd)
            self.require_space(max(0, size - have.st_blocks * 512))
            if not _fallocate(self.fd, size) or have.st_size > size:
                os.ftruncate(self.fd, size)
        except OSError as error:
            self._raise_translated(error)

    def require_space(self, needed: int) -> None:
        require_space(self.fd, needed, ())
        free = free_space(self.fd)
        if free < needed + self._reserve:
            raise AppError(507, "space_reserve", needed=needed, free=free, reserve=self._reserve)

    def write(self, chunks: list[bytes], at: int) -> None:
        if self._cipher:
            chunks = [self._cipher.apply(b"".join(chunks), at)]
        if len(chunks) > _MAX_CHUNKS:
            chunks = [b"".join(chunks)]
        try:
            written = os.pwritev(self.fd, chunks, at)
            rest = b"".join(chunks)[written:] if written < sum(map(len, chunks)) else b""
            while rest:
                written += (count := os.pwrite(self.fd, rest, at + written))
                rest = rest[count:]
        except OSError as error:
            self._raise_translated(error)

    def read(self, count: int, at: int) -> bytes:
        try:
            data = os.pread(self.fd, count, at)
        except OSError as error:
            self._raise_translated(error)
        return self._cipher.apply(data, at) if self._cipher else data

    def _raise_translated(self, error: OSError) -> NoReturn:
        try:
            with app_errors((self._path.name,)):
                raise error
        except OSError:
            if error.errno == errno.EFBIG:
                raise AppError(507, "file_too_large", path=self._path.name) from error
            raise AppError(500, "write_failed", path=self._path.name) from error


def _fallocate(fd: int, size: int) -> bool:
    """Call fallocate directly: the C library would write every block if it is not supported."""
    if sys.platform != "linux" or size == 0:
        return False
    arguments = (ctypes.c_int(fd), ctypes.c_int(0), ctypes.c_int64(0), ctypes.c_int64(size))
    if _libc.fallocate(*arguments) != 0:
        code = ctypes.get_errno()
        if code not in (errno.EOPNOTSUPP, errno.ENOSYS):
            raise OSError(code, os.strerror(code))
        return False
    return True
