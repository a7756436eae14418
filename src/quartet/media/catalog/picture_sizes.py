"""Chooses one of the sizes in which a catalog offers a picture."""

from collections.abc import Iterable
from typing import NamedTuple


class OfferedSize(NamedTuple):
    # In pixels; 0 if the catalog does not say it.
    width: int
    url: str


def fitting(offers: Iterable[OfferedSize], most: int) -> str | None:
    """Return the widest that is not wider than wanted, otherwise the narrowest."""
    known = sorted(offer for offer in offers if offer.width > 0)
    fit = [offer.url for offer in known if offer.width <= most]
    return fit[-1] if fit else known[0].url if known else None
