"""Scores the parsers by class of name: are the numbers and the title both right?

The names set aside are scored separately, and only they have bars.
"""

import datetime
import re
import unicodedata
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from bench import media_names_collection, media_names_written
from bench.media_names_collection import CLASSES, Name
from bench.media_names_measure import as_list
from bench.media_names_parsers import Parser
from bench.report import Result

OURS = "ours"
# In percent of the names set aside.
BARS = {
    "single": 94.0,
    "packs": 94.0,
    "multi": 92.0,
    "daily": 90.0,
    "absolute": 94.0,
    "cjk": 80.0,
    "movies": 94.0,
}
GROUP_BAR = 80.0
SURE = 0.9
SURE_BAR = 97.0
PEERS = ("guessit", "PTT", "anitopy")
NO_WORD = re.compile(r"[\W_]+")


class Verdict(NamedTuple):
    name: Name
    right: bool
    # None if the name has no group, or it is unclear.
    group_right: bool | None
    confidence: float


def judge(name: Name, answer: Mapping[str, Any]) -> Verdict:
    group = name.expected.get("group")
    group_right = None if group is None else plain(answer.get("group")) == plain(group)
    right = title_is_right(name, answer) and numbers_are_right(name.expected, answer)
    return Verdict(name, right, group_right, float(answer.get("confidence") or 0.0))


def title_is_right(name: Name, answer: Mapping[str, Any]) -> bool:
    """Punctuation does not count, nor a year or country at the end that is also reported.

    Without an accepted title, any title is right.
    """
    title = plain(answer.get("title"))
    return not name.titles or (bool(title) and title in {plain(known) for known in name.titles})


def plain(text: Any) -> str:
    folded = unicodedata.normalize("NFKC", str(text or "")).casefold().replace("&", "and")
    return NO_WORD.sub("", folded)


def numbers_are_right(expected: Mapping[str, Any], answer: Mapping[str, Any]) -> bool:
    if "date" in expected and as_date(answer.get("date")) != expected["date"]:
        return False
    if "year" in expected and integers(answer.get("year")) != (expected["year"],):
        return False
    seasons, episodes = integers(answer.get("season")), integers(answer.get("episode"))
    if not seasons and not expected.keys() & {"year", "date"}:
        # A part of a mini-series is its episode.
        episodes = episodes or integers(answer.get("part"))
    if "date" in expected and seasons == (expected["date"].year,):
        seasons = ()
    right = "seasons" not in expected or seasons == expected["seasons"]
    return right and ("episodes" not in expected or episodes == expected["episodes"])


def integers(value: Any) -> tuple[int, ...]:
    return tuple(sorted({int(one) for one in as_list(value) if str(one).isdecimal()}))


def as_date(value: Any) -> datetime.date | None:
    try:
        return value if isinstance(value, datetime.date) else datetime.date.fromisoformat(value)
    except (TypeError, ValueError):
        return None


def measure(parsers: Mapping[str, Parser]) -> list[Result]:
    first, second = media_names_written.FIRST, media_names_written.SECOND
    print_classes(judge_all(media_names_written.load(media_names_written.DEVELOPMENT), parsers))
    return [
        *measure_names("media names set aside", media_names_collection.load(), parsers),
        *measure_names(
            "media names written and set aside", media_names_written.load(first), parsers
        ),
        *measure_names(
            "media names of the second set, set aside", media_names_written.load(second), parsers
        ),
    ]


def measure_names(what: str, names: list[Name], parsers: Mapping[str, Parser]) -> list[Result]:
    verdicts = judge_all(names, parsers)
    print_classes(verdicts)
    return [*class_results(what, verdicts), *confidence_results(what, verdicts[OURS])]


def judge_all(names: list[Name], parsers: Mapping[str, Parser]) -> dict[str, list[Verdict]]:
    return {
        parser: [judge(name, answer_or_empty(read, name.name)) for name in names]
        for parser, read in parsers.items()
    }


def answer_or_empty(parser: Parser, name: str) -> Mapping[str, Any]:
    try:
        return parser(name)
    except Exception:  # noqa: BLE001 - a peer that raises has nothing right
        return {}


def share(verdicts: Iterable[bool]) -> float:
    found = list(verdicts)
    return 100 * sum(found) / len(found) if found else 0.0


def class_share(verdicts: Iterable[Verdict], kind: str, *, set_aside: bool) -> float:
    return share(v.right for v in verdicts if (v.name.kind, v.name.set_aside) == (kind, set_aside))


def group_share(verdicts: Iterable[Verdict], *, set_aside: bool) -> float:
    """All names with a group, not only those of the class `groups`."""
    return share(
        v.group_right
        for v in verdicts
        if v.group_right is not None and v.name.set_aside == set_aside
    )


def print_classes(verdicts: Mapping[str, list[Verdict]]) -> None:
    """Print the share of names with numbers and title right: those set aside, then the others."""
    print(f"| class | set aside | {' | '.join(verdicts)} | others | {' | '.join(verdicts)} |")
    print("|---" * (3 + 2 * len(verdicts)) + "|")
    own = verdicts[OURS]
    for kind in CLASSES:
        cells = []
        for aside in (True, False):
            count = sum((v.name.kind, v.name.set_aside) == (kind, aside) for v in own)
            shares = [class_share(found, kind, set_aside=aside) for found in verdicts.values()]
            cells += [str(count), *(f"{one:.1f} %" for one in shares)]
        print(f"| {kind} | {' | '.join(cells)} |")
    cells = []
    for aside in (True, False):
        count = sum(v.group_right is not None and v.name.set_aside == aside for v in own)
        shares = [group_share(found, set_aside=aside) for found in verdicts.values()]
        cells += [str(count), *(f"{one:.1f} %" for one in shares)]
    print(f"| release group | {' | '.join(cells)} |\n")


def class_results(what: str, verdicts: Mapping[str, list[Verdict]]) -> list[Result]:
    peers = [verdicts[peer] for peer in PEERS]
    results = []
    for kind, bar in BARS.items():
        own = class_share(verdicts[OURS], kind, set_aside=True)
        best = max(class_share(found, kind, set_aside=True) for found in peers)
        claim = f"{what}: {kind}, numbers and title right"
        results += [
            Result(claim, own, bar, "%", more_is_better=True),
            Result(f"{claim}, vs. the best peer", own, 1.0, "%", best, more_is_better=True),
        ]
    own = group_share(verdicts[OURS], set_aside=True)
    best = max(group_share(found, set_aside=True) for found in peers)
    claim = f"{what}: release group right"
    return [
        *results,
        Result(claim, own, GROUP_BAR, "%", more_is_better=True),
        Result(f"{claim}, vs. the best peer", own, 1.0, "%", best, more_is_better=True),
    ]


def confidence_results(what: str, verdicts: list[Verdict]) -> list[Result]:
    sure = [v for v in verdicts if v.name.set_aside and v.confidence >= SURE]
    claim = f"{what}: right if the confidence is at least {SURE}"
    return [Result(claim, share(v.right for v in sure), SURE_BAR, "%", more_is_better=True)]
