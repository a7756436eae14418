"""Loads names that people wrote down one by one, with the expected result.

The collection is made from spellings, so many of its names resemble each other. These names were
written as a whole, with the answers, before the parser read any of them. Three of five are set
aside by a hash of the name: report only how many of those are right, and look at the others.

Each line of a set is `name => titles ; facts`. Titles are separated by `|`; `?`
accepts any title. Facts are the season (`s2`, `s1-3`), the episode (`e5`, `e5-7`, `e1,3`), the air
date (`d2024-02-14`), the year (`y1999`) and the release group (`g=NTb`, always last). The fact
`s?`, `e?` or `d?` says that any answer is right. A season or episode without a fact is wrong.
"""

import datetime
import hashlib
from pathlib import Path
from typing import Any

from bench.media_names_collection import CLASSES, Name

FIRST = Path(__file__).parent / "media_names_written"
# Written later, when the parser knew the first set.
SECOND = Path(__file__).parent / "media_names_second"
# Written to find the classes of names that fail; none is set aside.
DEVELOPMENT = Path(__file__).parent / "media_names_development"


def load(folder: Path) -> list[Name]:
    return [
        read_line(kind, line, all_seen=folder == DEVELOPMENT)
        for kind in CLASSES
        for line in (folder / f"{kind}.txt").read_text("utf-8").splitlines()
        if line and not line.startswith("#")
    ]


def read_line(kind: str, line: str, *, all_seen: bool = False) -> Name:
    name, _, answer = line.partition(" => ")
    titles, _, facts = answer.rpartition(" ;")
    accepted = tuple(title.strip() for title in titles.split("|"))
    aside = not all_seen and is_set_aside(name)
    return Name(kind, name, aside, () if "?" in accepted else accepted, read_facts(facts))


def is_set_aside(name: str) -> bool:
    return hashlib.sha256(name.encode()).digest()[0] % 5 < 3


def read_facts(text: str) -> dict[str, Any]:
    numbers, _, group = text.strip().partition("g=")
    facts = {fact[0]: fact[1:] for fact in numbers.split()}
    found: dict[str, Any] = {
        field: read_numbers(facts.get(key, ""))
        for key, field in (("s", "seasons"), ("e", "episodes"))
        if facts.get(key) != "?"
    }
    if "y" in facts:
        found["year"] = int(facts["y"])
    if facts.get("d", "?") != "?":
        found["date"] = datetime.date.fromisoformat(facts["d"])
    return found | ({"group": group} if group else {})


def read_numbers(text: str) -> tuple[int, ...]:
    first, _, last = text.partition("-")
    if last:
        return tuple(range(int(first), int(last) + 1))
    return tuple(int(number) for number in text.split(",") if number)
