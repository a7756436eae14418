"""System calls that Python does not provide: openat2, renameat2 and statx."""

import ctypes
import errno
import os
import platform
import struct
import sys
from functools import cache

RESOLVE_NO_SYMLINKS = 0x04
RESOLVE_BENEATH = 0x08

RENAME_NOREPLACE = 1

_AT_SYMLINK_NOFOLLOW = 0x100
_AT_EMPTY_PATH = 0x1000
_STATX_BTIME = 0x800
# Size of `struct statx`, and where it holds its mask and the birth time.
_STATX_SIZE = 256
_STATX_BTIME_AT = 80

_OPENAT2 = 437  # the same on every architecture
# For C libraries without renameat2. Only numbers of 64 bits: `platform.machine` is that of the
# kernel, below which a program with 32 bits has other numbers, often on a Raspberry Pi.
_RENAMEAT2 = {
    "x86_64": 316,
    "aarch64": 276,
    "riscv64": 276,
    "ppc64le": 357,
    "s390x": 347,
}
_IS_64_BIT = sys.maxsize > 2**32


class _OpenHow(ctypes.Structure):
    _fields_ = [
        ("flags", ctypes.c_uint64),
        ("mode", ctypes.c_uint64),
        ("resolve", ctypes.c_uint64),
    ]


_libc = ctypes.CDLL(None, use_errno=True)


def _call(number: int, *arguments: object) -> int:
    return _checked(_libc.syscall(ctypes.c_long(number), *arguments))


def _checked(result: int) -> int:
    if result < 0:
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code))
    return result


def openat2(folder: int, path: bytes, flags: int, resolve: int) -> int:
    how = _OpenHow(flags=flags, mode=0, resolve=resolve)
    return _call(
        _OPENAT2,
        ctypes.c_int(folder),
        ctypes.c_char_p(path),
        ctypes.byref(how),
        ctypes.c_size_t(ctypes.sizeof(how)),
    )


@cache
def has_openat2() -> bool:
    """Return whether openat2 works: old kernels and some container filters lack it."""
    if sys.platform != "linux":
        return False
    here = os.open("/", os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.close(openat2(here, b".", os.O_RDONLY | os.O_CLOEXEC, RESOLVE_BENEATH))
    except OSError:
        return False
    finally:
        os.close(here)
    return True


def renameat2(source: int, name: str, target: int, new_name: str, flags: int) -> None:
    arguments = (
        ctypes.c_int(source),
        ctypes.c_char_p(os.fsencode(name)),
        ctypes.c_int(target),
        ctypes.c_char_p(os.fsencode(new_name)),
        ctypes.c_uint(flags),
    )
    if sys.platform == "linux" and (call := getattr(_libc, "renameat2", None)):
        _checked(call(*arguments))
    elif number := _renameat2_number():
        _call(number, *arguments)
    else:
        raise OSError(errno.ENOSYS, os.strerror(errno.ENOSYS))


def _renameat2_number() -> int | None:
    is_known = sys.platform == "linux" and _IS_64_BIT
    return _RENAMEAT2.get(platform.machine()) if is_known else None


def birth_time(folder: int, name: str = "") -> float | None:
    """Return when a file was created on this disk; None if the system does not know it.

    Without a name, return it for the folder itself.
    """
    call = getattr(_libc, "statx", None) if sys.platform == "linux" else None
    if call is None:
        return None
    found = ctypes.create_string_buffer(_STATX_SIZE)
    flags = _AT_SYMLINK_NOFOLLOW | _AT_EMPTY_PATH
    result = call(
        ctypes.c_int(folder),
        ctypes.c_char_p(os.fsencode(name)),
        ctypes.c_int(flags),
        ctypes.c_uint(_STATX_BTIME),
        found,
    )
    [mask] = struct.unpack_from("=I", found, 0)
    if result != 0 or not mask & _STATX_BTIME:
        return None
    seconds, nanoseconds = struct.unpack_from("=qI", found, _STATX_BTIME_AT)
    return float(seconds + nanoseconds / 1e9)
