"""Loads the public test suites from guessit's wheel; nothing is copied.

A case is a name and its expected fields. Only fields that all parsers can produce count: title,
year, season, episode, type, resolution, source and codecs.
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
# Only guessit's own suite has these fields.
TITLE_EXTRAS = ("alternative_title", "part", "volume", "country")
# The library whose test data a suite is.
OWNER = {
    "ptt": "PTT",
    "anitomy": "anitopy",
    "thcolin": "",
    "go-ptn": "PTN",
    "ptn": "PTN",
    "guessit": "guessit",
}
# The parser was never tuned against this suite.
UNTOUCHED = "thcolin"


class Case(NamedTuple):
    name: str
    expected: Mapping[str, Any]
    # Fields that the suite lists separately and other parsers leave in the title: see
    # `media_names_measure`.
    title_extras: Mapping[str, Any] = {}


class Suite(NamedTuple):
    name: str
    cases: list[Case]
    skipped: int


def load() -> list[Suite]:
    folder = resources.files("guessit") / "test"
    suites = []
    for name in OWNER:
        if name == "guessit":
            suites.append(load_guessit_suite(folder))
            continue
        entries = json.loads((folder / "cross_parser" / f"{name}.json").read_text("utf-8"))
        cases = [Case(e["release_name"], e["expected"]) for e in entries["entries"]]
        suites.append(Suite(name, cases, 0))
    return suites


class StringKeyLoader(yaml.SafeLoader):
    """Keeps names as text even if they look like a number or a date."""

    def construct_mapping(self, node: Any, deep: bool = False) -> dict[Any, Any]:
        return {key.value: self.construct_object(value, deep=True) for key, value in node.value}


def load_guessit_suite(folder: Any) -> Suite:
    files = [*folder.iterdir(), *(folder / "rules").iterdir()]
    texts = [f for f in sorted(files, key=str) if f.name.endswith((".yml", ".yaml"))]
    cases: list[Case] = []
    skipped = 0
    for file in texts:
        loaded: dict[str, Any] = yaml.load(file.read_text("utf-8"), Loader=StringKeyLoader)
        default = loaded.pop("__default__", None) or {}
        for name, expected in with_fields(loaded):
            whole = default | expected
            # A field without a value may have any value.
            fields = {k: v for k, v in whole.items() if k in FIELDS and v is not None}
            # Negative cases, and cases with options that only guessit has.
            if name.startswith("-") or "options" in expected or not fields:
                skipped += 1
            else:
                title_extras = {k: v for k, v in whole.items() if k in TITLE_EXTRAS}
                cases.append(Case(name.lstrip("+ "), fields, title_extras))
    return Suite("guessit", cases, skipped)


def with_fields(loaded: dict[str, Any]) -> Iterable[tuple[str, dict[str, Any]]]:
    """Yield each name with its fields: a name without a value shares those of the next name that
    has one.
    """
    last: dict[str, Any] = {}
    for name, expected in reversed(loaded.items()):
        last = last if expected is None else expected
        yield name, last
