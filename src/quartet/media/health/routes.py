import time
from typing import Any

import msgspec
from litestar import get

from quartet import __version__
from quartet.kernel.service import Kernel
from quartet.kernel.web import PUBLIC, Injected


class Health(msgspec.Struct, frozen=True):
    status: str
    version: str
    uptime: int


@get("/api/health", **PUBLIC)
async def health(kernel: Injected[Kernel[Any]]) -> Health:
    """Responds if the service can read its database; uptime is in whole seconds."""
    await kernel.db.check()
    return Health("ok", __version__, int(time.time() - kernel.started_at))
