"""What goes wrong on the way, as codes a person can be told."""

from collections.abc import Iterator
from contextlib import contextmanager

import aiohttp
from yarl import URL

from quartet.kernel.errors import AppError
from quartet.kernel.outbound.redirects import origin


@contextmanager
def app_errors(url: URL) -> Iterator[None]:
    """Turns the client's errors into ours.

    They are cut off from their cause, whose text may hold the whole address with its tokens.
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
