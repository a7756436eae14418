"""The outside suites of names, read from where guessit's wheel has them; nothing is copied.

A case is a name and what it should be read as. Only fields that all parsers could give count:
title, year, season, episode, type, resolution, source and codecs.
"""

import json
from collections.abc import Iterable, Mapping
from importlib import resources
from typing import Any, NamedTuple

import yaml

FIELDS = (
    "title",
    "year",
    "season",
    "episode",
    "type",
    "screen_size",
    "source",
    "video_codec",
    "audio_codec",
)
# Only guessit's own suite has them.
BESIDE = ("alternative_title", "part", "volume", "country")
# Whose own test data a suite is.
OWNER = {
    "ptt": "PTT",
    "anitomy": "anitopy",
    "thcolin": "",
    "go-ptn": "PTN",
    "ptn": "PTN",
    "guessit": "guessit",
}
# Nobody looked at it while the parser was made.
UNTOUCHED = "thcolin"


class Case(NamedTuple):
    name: str
    expected: Mapping[str, Any]
    # What the suite tells apart and others leave in the title: see `media_names_measure`.
    beside: Mapping[str, Any] = {}


class Suite(NamedTuple):
    name: str
    cases: list[Case]
    skipped: int


def load() -> list[Suite]:
    folder = resources.files("guessit") / "test"
    suites = []
    for name in OWNER:
        if name == "guessit":
            suites.append(own_yaml(folder))
            continue
        entries = json.loads((folder / "cross_parser" / f"{name}.json").read_text("utf-8"))
        cases = [Case(e["release_name"], e["expected"]) for e in entries["entries"]]
        suites.append(Suite(name, cases, 0))
    return suites


class Strings(yaml.SafeLoader):
    """Names stay text even when they look like a number or a date."""

    def construct_mapping(self, node: Any, deep: bool = False) -> dict[Any, Any]:
        return {key.value: self.construct_object(value, deep=True) for key, value in node.value}


def own_yaml(folder: Any) -> Suite:
    files = [*folder.iterdir(), *(folder / "rules").iterdir()]
    texts = [f for f in sorted(files, key=str) if f.name.endswith((".yml", ".yaml"))]
    cases: list[Case] = []
    skipped = 0
    for file in texts:
        loaded: dict[str, Any] = yaml.load(file.read_text("utf-8"), Loader=Strings)
        default = loaded.pop("__default__", None) or {}
        for name, expected in filled(loaded):
            whole = default | expected
            # A field without a value may have any.
            fields = {k: v for k, v in whole.items() if k in FIELDS and v is not None}
            # Negative cases, and those with options that only guessit has.
            if name.startswith("-") or "options" in expected or not fields:
                skipped += 1
            else:
                beside = {k: v for k, v in whole.items() if k in BESIDE}
                cases.append(Case(name.lstrip("+ "), fields, beside))
    return Suite("guessit", cases, skipped)


def filled(loaded: dict[str, Any]) -> Iterable[tuple[str, dict[str, Any]]]:
    """A name without a value has that of the next one with it; an empty one expects nothing."""
    last: dict[str, Any] = {}
    for name, expected in reversed(loaded.items()):
        last = last if expected is None else expected
        yield name, last
