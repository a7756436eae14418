from typing import Any

import msgspec
from litestar import get

from quartet.kernel.service import Kernel
from quartet.kernel.web import PUBLIC, Injected


class Health(msgspec.Struct, frozen=True):
    status: str


@get("/api/health", **PUBLIC)
async def health(kernel: Injected[Kernel[Any]]) -> Health:
    """Returns 200 if the service can read its database."""
    await kernel.db.check()
    return Health("ok")
