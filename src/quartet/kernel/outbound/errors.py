"""Maps client errors to error codes."""

from collections.abc import Iterator
from contextlib import contextmanager

import aiohttp
from yarl import URL

from quartet.kernel.errors import AppError
from quartet.kernel.outbound.redirects import origin


@contextmanager
def app_errors(url: URL) -> Iterator[None]:
    """Convert errors of aiohttp to AppError.

    The cause is dropped because its text can contain the full URL with tokens.
    """
    try:
        yield
    except (aiohttp.InvalidURL, UnicodeError):
        raise AppError(400, "bad_address") from None
    except TimeoutError:
        raise AppError(504, "timed_out", address=origin(url)) from None
    except (aiohttp.ClientConnectionError, OSError):
        raise AppError(502, "unreachable", address=origin(url)) from None
    except aiohttp.ClientError:
        raise AppError(502, "bad_answer", address=origin(url)) from None
