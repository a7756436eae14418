"""Translates the renamer patterns of tinyMediaManager: `${title} ${- ,edition,} (${year})`."""

import re
from collections.abc import Mapping, Sequence

from quartet.media.naming.schemes.nodes import (
    NOTHING,
    Choice,
    FirstKnown,
    Missing,
    Node,
    Parts,
    Problems,
    SchemeToken,
    Text,
    Unit,
    filtered,
)
from quartet.media.types import Kind

# An empty pair of brackets is removed by tinyMediaManager.
_PIECES = re.compile(r"([(\[])\$\{([^{}]*)\}([)\]])|\$\{([^{}]*)\}|([^$(\[]+|[$(\[])")
_VALUE = re.compile(
    r"(?P<name>\w+(?:\.\w+)?)(?:\[(?P<slice>[\d, ]+)\])?(?:\((?P<default>[^)]*)\))?"
)

_TOKENS: Mapping[str, str] = {
    "originalTitle": "orig",
    "year": "y",
    "showYear": "y",
    "showTitle": "n",
    "showOriginalTitle": "orig",
    "seasonNr": "s",
    "seasonNr2": "s00",
    "episodeNr": "e",
    "episodeNr2": "e00",
    "airedDate": "d",
    "rating": "rating",
    "showRating": "rating",
    "imdb": "imdb",
    "showImdb": "imdb",
    "tmdb": "tmdb",
    "showTmdb": "tmdb",
    "tvdb": "tvdb",
    "showTvdb": "tvdb",
    "videoFormat": "vf",
    "videoCodec": "vc",
    "audioCodec": "ac",
    "audioChannels": "af",
    "hdr": "hdr",
    "hdrformat": "hdr",
    "mediaSource": "source",
    "edition": "edition",
    "movieSet": "collection",
    "movieSet.title": "collection",
    "genre": "genre",
}
# Ours is similar, but not the same.
_SIMILAR: Mapping[str, str] = {
    "seasonNrAired": "s",
    "episodeNrAired": "e",
    "videoResolution": "vf",
    "audioLanguage": "lang",
    "audioLanguageList": "lang",
    "language": "lang",
}
_SORTABLE = frozenset(("titleSortable", "showTitleSortable"))
_RENDERERS = {"upper": "upper", "lower": "lower", "title": "title", "first": "first"}


def translate_tinymediamanager(scheme: str, kind: Kind, problems: Problems) -> Node:
    pieces = list(_PIECES.finditer(scheme))
    nodes, _ = _TmmTranslator(kind, problems).nodes(pieces, 0)
    return Parts(tuple(nodes))


class _TmmTranslator:
    def __init__(self, kind: Kind, problems: Problems) -> None:
        self._kind = kind
        self._problems = problems

    def nodes(self, pieces: Sequence["re.Match[str]"], at: int) -> tuple[list[Node], int]:
        """Return the nodes up to the next `${else}` or `${end}`, and its position."""
        found: list[Node] = []
        while at < len(pieces):
            opening, bracketed, closing, inside, text = pieces[at].groups()
            if inside in ("else", "end"):
                break
            if text is not None:
                found.append(Text(text))
            elif bracketed is not None:
                found.append(Unit((Text(opening), self._value(bracketed), Text(closing))))
            elif inside.startswith("if "):
                node, at = self._condition(pieces, at)
                found.append(node)
            else:
                found.append(self._value(inside))
            at += 1
        return found, at

    def _condition(self, pieces: Sequence["re.Match[str]"], at: int) -> tuple[Node, int]:
        written = pieces[at][4]
        name = written.removeprefix("if ").strip()
        yes, at = self.nodes(pieces, at + 1)
        no: list[Node] = []
        if at < len(pieces) and pieces[at][4] == "else":
            no, at = self.nodes(pieces, at + 1)
        if name.startswith("!"):
            name, yes, no = name[1:].strip(), no, yes
        token = self._token(name)
        if token is None:
            self._problems.dropped(f"${{{written}}}")
            return Parts(tuple(no)), at
        return Choice(token, Parts(tuple(yes)), Parts(tuple(no)) if no else NOTHING), at

    def _value(self, inside: str) -> Node:
        prefix, value, suffix = "", inside, ""
        if inside.count(",") == 2 and "[" not in inside:
            prefix, value, suffix = inside.split(",")
        expression, *renderers = value.split(";")
        read = _VALUE.fullmatch(expression.strip())
        token = self._token(read["name"]) if read else None
        if read is None or token is None:
            self._problems.dropped(f"${{{inside}}}")
            return Missing()
        filters = ("sort",) if read["name"] in _SORTABLE else ()
        node = self._sliced(SchemeToken(token, filters), read["slice"], inside)
        for renderer in renderers:
            node = self._rendered(node, renderer.strip())
        if prefix or suffix:
            node = Unit((Text(prefix), node, Text(suffix)))
        return FirstKnown((node, Text(read["default"]))) if read["default"] else node

    def _sliced(self, node: Node, slice: str | None, inside: str) -> Node:
        if slice is None:
            return node
        start, _, length = (part.strip() for part in slice.partition(","))
        if start == "0":
            return filtered(node, "truncate", length) if length else filtered(node, "first")
        self._problems.approximated(f"${{{inside}}}")
        return node

    def _rendered(self, node: Node, renderer: str) -> Node:
        if renderer in _RENDERERS:
            return filtered(node, _RENDERERS[renderer])
        if padded := re.fullmatch(r"number\(%0(\d)d\)", renderer):
            return filtered(node, "pad", padded[1])
        self._problems.dropped(f";{renderer}")
        return node

    def _token(self, name: str) -> str | None:
        if name in _SORTABLE:
            return "n"
        if name == "title":
            return "n" if self._kind == "movie" else "t"
        if name in _SIMILAR:
            self._problems.approximated(f"${{{name}}}")
            return _SIMILAR[name]
        return _TOKENS.get(name)
