"""Resolves masked URLs: a URL that comes back masked means the stored one."""

from collections.abc import Sequence

from quartet.kernel.errors import AppError
from quartet.kernel.notifications import MASK, mask_url
from quartet.sync.notices.types import Target


def unmasked(url: str, kept: Sequence[Target]) -> str:
    if MASK not in url:
        return url.strip()
    found = next((each.url for each in kept if mask_url(each.url) == url), None)
    if found is None:
        raise AppError(400, "target_unknown", url=url)
    return found
