"""Bodies nobody's browser would send."""

from typing import Any

from quartet.kernel.errors import AppError
from quartet.kernel.web import Request


class StrictRequest(Request):
    """Refuses what is no text, or nested without end; Litestar takes that for its own fault."""

    async def json(self) -> Any:
        try:
            return await super().json()
        except (UnicodeDecodeError, RecursionError):
            raise AppError(400, "invalid_json") from None
