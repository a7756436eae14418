"""Request parsing that rejects malformed JSON."""

from typing import Any

from quartet.kernel.errors import AppError
from quartet.kernel.web import Request


class StrictRequest(Request):
    """Rejects JSON that is not UTF-8 or nested too deeply; Litestar would respond with 500."""

    async def json(self) -> Any:
        try:
            return await super().json()
        except (UnicodeDecodeError, RecursionError):
            raise AppError(400, "invalid_json") from None
