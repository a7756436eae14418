"""Translates the naming tokens of Sonarr and Radarr: `{Series Title}`, `{[Quality Full]}`."""

import re
from collections.abc import Mapping

from quartet.media.naming.schemes.nodes import (
    Missing,
    Node,
    Parts,
    Problems,
    Text,
    Token,
    Unit,
    filtered,
)

# A token may have brackets or separators around it, which are used only with a value, and a label
# as in `{edition-{Edition Tags}}`.
_PIECES = re.compile(
    r"(?P<label>\{(?:[a-z]+-)?)?\{(?P<prefix>[- ._\[(]*)"
    r"(?P<token>[A-Za-z0-9]+(?:(?P<separator>[- ._])[A-Za-z0-9]+)?)"
    r"(?::(?P<option>[A-Za-z0-9|+ -]+))?(?P<suffix>[- ._)\]]*)\}(?(label)\})"
    r"|(?P<text>[^{]+|\{)"
)
_NAME_AND_YEAR = Parts((Token("n"), Unit((Text(" ("), Token("y"), Text(")")))))
_QUALITY = Parts((Token("source"), Unit((Text("-"), Token("vf")))))
_CODECS = Parts((Token("vc"), Unit((Text(" "), Token("ac")))))

_TOKENS: Mapping[str, Node] = {
    **dict.fromkeys(
        ("title", "cleantitle", "titlewithoutyear", "cleantitlewithoutyear"), Token("n")
    ),
    "titleyear": _NAME_AND_YEAR,
    "cleantitleyear": Parts((Token("n"), Unit((Text(" "), Token("y"))))),
    "titlefirstcharacter": Token("n", ("first",)),
    "originaltitle": Token("orig"),
    "cleanoriginaltitle": Token("orig"),
    "releaseyear": Token("y"),
    "year": Token("y"),
    "season:0": Token("s"),
    "season:00": Token("s00"),
    "episode:0": Token("e"),
    "episode:00": Token("e00"),
    "absolute:0": Token("absolute"),
    "absolute:00": Token("absolute", ("pad:2",)),
    "absolute:000": Token("abs"),
    "air-date": Token("d"),
    "air date": Token("d", ("replace:'-':' '",)),
    "episodetitle": Token("t"),
    "episodecleantitle": Token("t"),
    "qualitytitle": _QUALITY,
    "mediainfosimple": _CODECS,
    "mediainfovideocodec": Token("vc"),
    "mediainfoaudiocodec": Token("ac"),
    "mediainfoaudiochannels": Token("af"),
    "mediainfovideodynamicrange": Token("hdr"),
    "mediainfovideodynamicrangetype": Token("hdr"),
    "releasegroup": Token("group"),
    "editiontags": Token("edition"),
    "imdbid": Token("imdb"),
    "tmdbid": Token("tmdb"),
    "tvdbid": Token("tvdb"),
}
# Ours is similar, but not the same.
_SIMILAR: Mapping[str, Node] = {
    "titlethe": Token("n"),
    "cleantitlethe": Token("n"),
    "titletheyear": _NAME_AND_YEAR,
    "cleantitletheyear": _NAME_AND_YEAR,
    "qualityfull": _QUALITY,
    "mediainfofull": _CODECS,
    "mediainfoaudiolanguages": Token("lang"),
    "mediainfoaudiolanguagesall": Token("lang"),
}
# `{Original Title}` is the name of the release, `{Movie OriginalTitle}` the title.
_RELEASE_NAMES = ("original title", "original filename")
_NUMBERS = ("season", "episode", "absolute")


def translate_servarr(scheme: str, problems: Problems) -> Node:
    parts: list[Node] = []
    for piece in _PIECES.finditer(scheme):
        if piece["text"] is not None:
            parts.append(Text(piece["text"]))
            continue
        value = _value(piece, problems)
        around = (piece["label"] or "") + piece["prefix"], piece["suffix"]
        after = around[1] + ("}" if piece["label"] else "")
        lone = not around[0] and not after
        parts.append(value if lone else _surrounded(around[0], value, after))
    return Parts(tuple(parts))


def _surrounded(before: str, value: Node, after: str) -> Node:
    if isinstance(value, Parts):
        first, *rest = value.parts
        return Unit((Text(before), first, Parts(tuple(rest)), Text(after)))
    return Unit((Text(before), value, Text(after)))


def _value(piece: "re.Match[str]", problems: Problems) -> Node:
    written, name, option = piece[0], piece["token"], piece["option"]
    node = _known(name, option)
    if node is None:
        node = _SIMILAR.get(_key(name), Missing())
        (problems.dropped if isinstance(node, Missing) else problems.approximated)(written)
    if name.lower() in _NUMBERS or name.lower().startswith("air"):
        return node
    return _styled(node, name, piece["separator"], option, written, problems)


def _known(name: str, option: str | None) -> Node | None:
    lowered = name.lower()
    if re.sub(r"[- ._]", " ", lowered) in _RELEASE_NAMES:
        return None
    if lowered in _NUMBERS:
        return _TOKENS.get(f"{lowered}:{option or '0'}")
    return _TOKENS.get(lowered) or _TOKENS.get(_key(name))


def _key(name: str) -> str:
    return re.sub(r"^(series|movie)(?=[a-z])", "", re.sub(r"[- ._]", "", name.lower()))


def _styled(
    node: Node,
    name: str,
    separator: str | None,
    option: str | None,
    written: str,
    problems: Problems,
) -> Node:
    """Apply the case, the separator and the length that the spelling of a token asks for."""
    if name.isupper() or name.islower():
        node = filtered(node, "upper" if name.isupper() else "lower")
    if separator in (".", "_", "-"):
        node = filtered(node, "space", separator)
    if option and option.isdecimal():
        return filtered(node, "truncate", option)
    if option:
        problems.approximated(written)
    return node
