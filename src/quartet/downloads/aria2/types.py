from typing import Any, Literal, NamedTuple

import msgspec

from quartet.downloads.packages.types import Download
from quartet.kernel.errors import AppError

Aria2Status = Literal["active", "waiting", "paused", "error", "complete", "removed"]
How = Literal["POS_SET", "POS_CUR", "POS_END"]
# Options as clients send and receive them; `header` may be a list.
Options = dict[str, Any]

# JSON-RPC error codes.
FAILED = 1
UNKNOWN_METHOD, INVALID_REQUEST, INVALID_JSON = -32601, -32600, -32700


class RpcError(Exception):
    """An error as aria2 reports it: a code and an English text, which clients show."""

    def __init__(self, message: str, code: int = FAILED) -> None:
        super().__init__(message)
        self.message = message
        self.code = code


class NotWaiting(RpcError):
    """The download has no place in the queue, because it is running or has ended."""


def rpc_error(error: AppError) -> RpcError:
    return RpcError(str(error))


class RpcRequest(msgspec.Struct, frozen=True):
    method: str
    id: Any = None
    params: list[Any] = []


class Aria2Download(NamedTuple):
    """A download with what aria2 clients want to know about it."""

    gid: str
    download: Download
    target_dir: str
    # Other addresses of the same file, and the options of the client.
    uris: list[str]
    options: Options
    # All files of the torrent, which this download stands for.
    files: list[Download] = []
    info_hash: str = ""


class Aria2Extras(NamedTuple):
    """What a client stored for a download."""

    gid: str
    # Encrypted, because headers and cookies are secret.
    options: bytes | None
