"""The sizes and languages of pictures in The Movie Database."""

from collections.abc import Sequence

import msgspec

from quartet.media.catalog.picture_sizes import OfferedSize, fitting

IMAGES = "https://image.tmdb.org/t/p/"
# The widths that exist besides the original.
POSTER_WIDTHS = (185, 342, 500, 780)
BACKDROP_WIDTHS = (300, 780, 1280)
STILL_WIDTHS = (300, 780)
LOGO_WIDTHS = (185, 300, 500)


class TmdbImage(msgspec.Struct, frozen=True):
    file_path: str
    iso_639_1: str | None = None
    width: int = 0


def sized(
    path: str | None, widths: Sequence[int], most: int, originals: Sequence[TmdbImage] = ()
) -> str | None:
    """Choose one of the fixed widths, or the original if its width is known."""
    if not path:
        return None
    original = next((one.width for one in originals if one.file_path == path), 0)
    offers = [OfferedSize(width, f"{IMAGES}w{width}{path}") for width in widths]
    return fitting([*offers, OfferedSize(original, f"{IMAGES}original{path}")], most)


def best_logo(logos: list[TmdbImage], language: str) -> str | None:
    """Return the first logo in the language, in English or without a language."""
    usable = [one for one in logos if not one.file_path.endswith(".svg")]
    order = [language, "en", None]
    known = [one for one in usable if one.iso_639_1 in order]
    known.sort(key=lambda one: order.index(one.iso_639_1))
    return known[0].file_path if known else None
