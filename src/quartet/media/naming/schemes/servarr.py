"""Translates the naming tokens of Sonarr and Radarr: `{Series Title}`, `{[Quality Full]}`."""

import re
from collections.abc import Mapping

from quartet.media.naming.schemes.nodes import (
    Missing,
    Node,
    Parts,
    Problems,
    SchemeToken,
    Text,
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
_NAME_AND_YEAR = Parts((SchemeToken("n"), Unit((Text(" ("), SchemeToken("y"), Text(")")))))
_SORTED = SchemeToken("n", ("sort",))
_SORTED_AND_YEAR = Parts((_SORTED, Unit((Text(" ("), SchemeToken("y"), Text(")")))))
_QUALITY = Parts((SchemeToken("source"), Unit((Text("-"), SchemeToken("vf")))))
_CODECS = Parts((SchemeToken("vc"), Unit((Text(" "), SchemeToken("ac")))))

_TOKENS: Mapping[str, Node] = {
    **dict.fromkeys(
        ("title", "cleantitle", "titlewithoutyear", "cleantitlewithoutyear"), SchemeToken("n")
    ),
    "titleyear": _NAME_AND_YEAR,
    "cleantitleyear": Parts((SchemeToken("n"), Unit((Text(" "), SchemeToken("y"))))),
    **dict.fromkeys(("titlethe", "cleantitlethe"), _SORTED),
    **dict.fromkeys(("titletheyear", "cleantitletheyear"), _SORTED_AND_YEAR),
    "titlefirstcharacter": SchemeToken("n", ("sort", "first")),
    "collection": SchemeToken("collection"),
    "collectionthe": SchemeToken("collection", ("sort",)),
    "originaltitle": SchemeToken("orig"),
    "cleanoriginaltitle": SchemeToken("orig"),
    "releaseyear": SchemeToken("y"),
    "year": SchemeToken("y"),
    "season:0": SchemeToken("s"),
    "season:00": SchemeToken("s00"),
    "episode:0": SchemeToken("e"),
    "episode:00": SchemeToken("e00"),
    "absolute:0": SchemeToken("absolute"),
    "absolute:00": SchemeToken("absolute", ("pad:2",)),
    "absolute:000": SchemeToken("abs"),
    "air-date": SchemeToken("d"),
    "air date": SchemeToken("d", ("replace:'-':' '",)),
    "episodetitle": SchemeToken("t"),
    "episodecleantitle": SchemeToken("t"),
    "qualitytitle": _QUALITY,
    "mediainfosimple": _CODECS,
    "mediainfovideocodec": SchemeToken("vc"),
    "mediainfoaudiocodec": SchemeToken("ac"),
    "mediainfoaudiochannels": SchemeToken("af"),
    "mediainfovideodynamicrange": SchemeToken("hdr"),
    "mediainfovideodynamicrangetype": SchemeToken("hdr"),
    "releasegroup": SchemeToken("group"),
    "editiontags": SchemeToken("edition"),
    "imdbid": SchemeToken("imdb"),
    "tmdbid": SchemeToken("tmdb"),
    "tvdbid": SchemeToken("tvdb"),
}
# Ours is similar, but not the same.
_SIMILAR: Mapping[str, Node] = {
    "qualityfull": _QUALITY,
    "mediainfofull": _CODECS,
    "mediainfoaudiolanguages": SchemeToken("lang"),
    "mediainfoaudiolanguagesall": SchemeToken("lang"),
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
