"""Translates the naming scheme of another program into a template."""

import re

from quartet.kernel.errors import AppError
from quartet.media.naming.schemes.filebot import translate_filebot
from quartet.media.naming.schemes.nodes import Problems, emit
from quartet.media.naming.schemes.servarr import translate_servarr
from quartet.media.naming.schemes.tinymediamanager import translate_tinymediamanager
from quartet.media.naming.template import compile_template
from quartet.media.naming.types import LONGEST_SAVED, ImportedFormat, Product, SchemeImport
from quartet.media.types import Kind

_RADARR = re.compile(r"\{[^{}]*\b(movie|release[ ._-]year|edition[ ._-]tags)", re.IGNORECASE)
_SONARR = re.compile(
    r"\{[^{}]*\b(series[ ._-]?(clean)?title|(season|episode|absolute)(:0+)?\}|air[ -]date"
    r"|quality[ ._-](full|title)|mediainfo)",
    re.IGNORECASE,
)
_SERIES = re.compile(
    r"\{[^{}]*(\b(s|e|es|s00|e00|s00e00|sxe|t|airdate|absolute|episode)\b|series|season"
    r"|air[ -]date)"
    r"|\$\{[^{}]*(show|season|episode)",
    re.IGNORECASE,
)
# A range of episodes is spelled correctly only by the combined token.
_NUMBERS = (
    ("S{s00}E{e00}", "{s00e00}"),
    ("s{s00}e{e00}", "{s00e00|lower}"),
    ("{s}x{e00}", "{sxe}"),
)


def translate_scheme(given: SchemeImport) -> ImportedFormat:
    """Return the template for a scheme and what it lacks; lines are folders of one path."""
    lines = [line.strip().strip("/\\") for line in given.text.splitlines()]
    scheme = "/".join(line for line in lines if line)
    if not scheme:
        raise AppError(400, "scheme_not_translated")
    product = given.product or _product(scheme)
    kind = given.kind or _kind(scheme, product)
    problems = Problems()
    template = _template(scheme, product, kind, problems)
    for separate, combined in _NUMBERS:
        template = template.replace(separate, combined)
    if not template.strip(" /"):
        raise AppError(400, "scheme_not_translated")
    compile_template(template)
    if len(template) > LONGEST_SAVED:
        raise AppError(400, "template_too_long", limit=LONGEST_SAVED)
    return ImportedFormat(product, kind, template, problems.found)


def _template(scheme: str, product: Product, kind: Kind, problems: Problems) -> str:
    if product == "filebot":
        return emit(translate_filebot(scheme, kind, problems))
    if product == "tinymediamanager":
        return emit(translate_tinymediamanager(scheme, kind, problems))
    return emit(translate_servarr(scheme, problems))


def _product(scheme: str) -> Product:
    # FileBot uses `${…}` too, but only in quotes.
    if "${" in re.sub(r'"[^"]*"', "", scheme):
        return "tinymediamanager"
    if _RADARR.search(scheme):
        return "radarr"
    return "sonarr" if _SONARR.search(scheme) else "filebot"


def _kind(scheme: str, product: Product) -> Kind:
    if product in ("sonarr", "radarr"):
        return "series" if product == "sonarr" else "movie"
    return "series" if _SERIES.search(scheme) else "movie"
