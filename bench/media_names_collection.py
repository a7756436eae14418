"""Builds a collection of release names with the answers a person would give.

`media_names_collection/` lists, by class, spellings that release groups and rippers use. Every
spelling is filled with several titles, numbers and tags, so the answer is known without reading
the name. A third of the spellings is set aside: their names are reported separately and are not
looked at while the parser is written. A hash of the spelling decides, so that a name set aside
differs from the others in its spelling, not only in its title.

Tokens are a letter with an optional separator (`{T.}` is the title with dots) or number of digits
(`{e2}`). T title, L Latin title, E episode title, P person, V event, Z place, J Japanese episode
title; W, D, F, B tags of a release (any, German, French, anime), S source, R resolution, K service;
G, H, I, A release groups (usual, hard to recognise, of re-encoders, fansub); lower case of T, W, G,
H and P is the same in lower case. s season, u and v a later one, e episode, f and g the ones after
it, h the third one after it, l the last of a season, q and r season and episode in one number;
n and o episodes of a mini-series, a absolute number, b and d later ones, k four digits, i five;
y, m, d, M, N the air date; Y the year; C checksum.
"""

import datetime
import hashlib
import random
import re
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

FOLDER = Path(__file__).parent / "media_names_collection"
CLASSES = ("single", "multi", "packs", "daily", "absolute", "cjk", "groups", "movies")
NAMES_PER_SPELLING = 3
TOKEN = re.compile(r"\{([A-Za-z]+)(\d?|[ ._!-]|=[^}]*)\}")
HEIGHT = re.compile(r"\b(\d{3,4})p\b|\b\d{3,4}x(\d{3,4})\b")
WORDS = [
    "One",
    "Two",
    "Three",
    "Four",
    "Five",
    "Six",
    "Seven",
    "Eight",
    "Nine",
    "Ten",
    "Eleven",
    "Twelve",
]
ROMANS = ["I", "II", "III", "IV", "V", "VI", "VII", "VIII", "IX", "X", "XI", "XII"]
ORDINALS = ["1st", "2nd", "3rd", "4th", "5th", "6th", "7th", "8th", "9th", "10th", "11th", "12th"]
CHINESE = ["一", "二", "三", "四", "五", "六", "七", "八", "九", "十", "十一", "十二"]
POOL_OF = {
    "E": "episode",
    "P": "person",
    "V": "event",
    "Z": "place",
    "J": "japanese",
    "W": "release",
    "D": "release_de",
    "F": "release_fr",
    "B": "release_anime",
    "S": "source",
    "K": "service",
    "G": "group",
    "H": "hard_group",
    "I": "post_group",
    "A": "fansub",
}
LOWER = {"t": "T", "w": "W", "g": "G", "h": "H", "p": "P"}
TAGS = frozenset("WDFB")
GROUPS = "GHIA"


class Name(NamedTuple):
    kind: str
    name: str
    set_aside: bool
    # Accepted titles; the first is the usual one.
    titles: tuple[str, ...]
    # Fields with their only right answer; a field that is missing here is not judged.
    expected: Mapping[str, Any]


def is_set_aside(spelling: str) -> bool:
    return hashlib.sha256(spelling.encode()).digest()[0] % 3 == 0


def load() -> list[Name]:
    titles, words = read_pools("titles.txt"), read_pools("words.txt")
    names: dict[str, Name] = {}
    for kind in CLASSES:
        for line in lines_of(f"{kind}.txt"):
            pool, _, rest = line.partition(" ")
            spelling, _, notes = rest.partition(" => ")
            for number in range(NAMES_PER_SPELLING):
                filled = Filling(kind, pool, spelling, notes, number, titles, words).build()
                names.setdefault(filled.name, filled)
    return list(names.values())


def lines_of(file: str) -> Iterable[str]:
    for line in (FOLDER / file).read_text("utf-8").splitlines():
        if line and not line.startswith("#"):
            yield line


def read_pools(file: str) -> dict[str, list[str]]:
    pools: dict[str, list[str]] = {}
    current: list[str] = []
    for line in lines_of(file):
        if line.startswith("[") and line.endswith("]"):
            current = pools.setdefault(line[1:-1], [])
        else:
            current.append(line)
    return {
        name: pool[0].split() if name.startswith("month") else pool for name, pool in pools.items()
    }


class Filling:
    """One name made from a spelling; the spelling and a counter decide all choices."""

    def __init__(
        self,
        kind: str,
        pool: str,
        spelling: str,
        notes: str,
        number: int,
        titles: Mapping[str, list[str]],
        words: Mapping[str, list[str]],
    ) -> None:
        seed = f"{spelling}{number}".encode()
        self.random = random.Random(hashlib.sha256(seed).digest())
        self.kind, self.pool, self.spelling = kind, pool, spelling
        self.notes = dict(
            note.partition("=")[::2] if "=" in note else (note, "yes")
            for note in notes.split(",")
            if note
        )
        self.words = words
        entry = self.random.choice(titles[pool])
        self.title, _, self.latin = entry.partition("|")
        self.chosen: dict[str, str] = {}
        self.used: set[str] = set()
        self.choose_numbers()

    def choose_numbers(self) -> None:
        pick = self.random.randint
        season, episode = pick(1, 9), pick(1, 22)
        absolute, long, longest = pick(1, 99), pick(1001, 1150), pick(10002, 13999)
        if "{a3" in self.spelling:
            absolute = pick(101, 399)
        part = pick(1, 5)
        self.numbers = {
            "s": season,
            "v": season + 1,
            "u": season + pick(2, 4),
            "e": episode,
            "f": episode + 1,
            "g": episode + 2,
            "h": episode + 3,
            "l": pick(8, 24),
            "q": season * 100 + episode,
            "r": season * 100 + episode + 1,
            "n": part,
            "o": part + 1,
            "a": absolute,
            "b": absolute + 1,
            "d": absolute + 11,
            "k": long,
            "j": long + 5,
            "i": longest,
        }
        self.day = datetime.date(2008, 1, 1) + datetime.timedelta(days=pick(0, 6000))
        # A day above 12 cannot be taken for a month.
        self.day = self.day.replace(day=pick(13, 28))
        self.year = pick(1985, 2023)

    def build(self) -> Name:
        has_date = "{y}" in self.spelling or "{y2}" in self.spelling
        name = TOKEN.sub(lambda match: self.fill(match, has_date), self.spelling)
        if self.random.random() < 0.5 and not re.search(r"\.(mkv|mp4)$", name):
            name += "" if self.kind == "packs" else self.random.choice((".mkv", ".mp4", ".avi"))
        return Name(
            self.kind, name, is_set_aside(self.spelling), self.titles(), self.expected(name)
        )

    def fill(self, match: re.Match[str], has_date: bool) -> str:
        key, form = match[1], match[2]
        if form.startswith("="):
            return self.note(key, form[1:])
        if key in LOWER and not form.isdigit():
            return self.note(LOWER[key], self.text(LOWER[key]), form).lower()
        if key in "TL" or key in POOL_OF:
            return self.note(key, self.text(key), form)
        if has_date and key in ("y", "m", "d", "M", "N"):
            return self.date_part(key, form)
        return self.number(key, form)

    def text(self, key: str) -> str:
        if key == "T":
            return self.title
        if key == "L":
            return self.latin
        pool = POOL_OF[key]
        if key == "A" and self.pool == "zh":
            pool = "fansub_zh"
        if key not in self.chosen or key == "E":
            self.chosen[key] = self.random.choice(self.words[pool])
        return self.chosen[key]

    def note(self, key: str, text: str, separator: str = "") -> str:
        self.used.add(key)
        self.chosen[key] = text
        return with_separator(text, separator, glue=key in "T" and not separator.strip())

    def date_part(self, key: str, form: str) -> str:
        self.used.add("date")
        months = {"M": "month", "N": "month_name"}
        if key in months:
            return self.words[months[key]][self.day.month - 1]
        if key == "y":
            return f"{self.day.year % 100:02}" if form == "2" else str(self.day.year)
        return f"{self.day.month if key == 'm' else self.day.day:02}"

    def number(self, key: str, form: str) -> str:
        special: dict[str, Callable[[], str]] = {
            "Y": lambda: str(self.year),
            "R": lambda: self.random.choice(("720p", "1080p", "2160p")),
            "C": lambda: f"{self.random.getrandbits(32):08X}",
            "hash": lambda: f"{self.random.getrandbits(96):024x}",
            "abbr": lambda: "".join(word[0] for word in self.title.lower().split()),
            "tmdb": lambda: f"tmdb-{self.random.randint(100, 99999)}",
            "x": lambda: "",
        }
        if key in special:
            self.used.add(key)
            self.chosen.setdefault(key, special[key]())
            return self.chosen[key]
        self.used.add(key[0])
        value = self.numbers[key[0]]
        spelled = {"w": WORDS, "r": ROMANS, "o": ORDINALS, "c": CHINESE}
        if len(key) == 2:
            if key[1] == "c" and value > len(CHINESE):
                value = self.numbers[key[0]] = value % len(CHINESE) + 1
            return spelled[key[1]][value - 1]
        return f"{value:0{form or 1}}"

    def titles(self) -> tuple[str, ...]:
        used = [text for key, text in (("T", self.title), ("L", self.latin)) if key in self.used]
        titles = list(used)
        if country := self.notes.get("country"):
            titles += [f"{used[0]} {country}"]
        if "title-loose" in self.notes or "loose" in self.notes:
            titles += [f"{used[0]} {self.chosen[key]}" for key in "PV" if key in self.used]
        if "special" in self.notes:
            titles += [f"{used[0]} OVA", f"{used[0]} Special"]
        if "Y" in self.used:
            titles += [f"{title} {self.year}" for title in used]
        if len(used) == 2:
            titles += [" ".join(used), " ".join(reversed(used))]
        return tuple(titles)

    def expected(self, name: str) -> dict[str, Any]:
        found: dict[str, Any] = {}
        self.expect_numbers(found)
        if "date" in self.used and not {"both", "yearseason", "date-too"} & self.notes.keys():
            found["date"] = self.day
            if "date" in self.notes:
                del found["date"]
        if "Y" in self.used and "year" not in self.notes and self.kind in ("movies", "groups"):
            found["year"] = self.year
        if group := self.group():
            found["group"] = group
        if resolution := self.resolution(name):
            found["resolution"] = resolution
        return found

    def expect_numbers(self, found: dict[str, Any]) -> None:
        number, used, notes = self.numbers, self.used, self.notes
        seasons = [number["s"]] if used & {"s", "q"} else []
        if "u" in used:
            seasons = list(range(number["s"], number["u"] + 1))
        elif "v" in used:
            seasons.append(number["v"])
        if "yearseason" in notes:
            seasons = [self.day.year if "date" in used else self.year]
        if "season1" in notes:
            seasons = [1]
        episodes = next(
            (
                list(range(number[first], number[last] + 1))
                for first, last in ("eh", "eg", "ef", "qr", "no", "ad", "kj")
                if {first, last} <= used
            ),
            [number[key] for key in "eqnaki" if key in used][:1],
        )
        episodes = [n % 100 for n in episodes] if used & {"q"} else episodes
        if "from1" in notes:
            episodes = list(range(1, number["l"] + 1))
        if "seasons" not in notes and "ignore-season" not in notes:
            found["seasons"] = tuple(seasons)
        if not notes.keys() & {"number-too", "half", "special-only", "pack", "a-or-compact"}:
            found["episodes"] = tuple(episodes)
        if "special" in notes or "a-or-compact" in notes:
            found.pop("seasons", None)

    def group(self) -> str | None:
        wanted = self.notes.get("group")
        if wanted == "":
            return None
        if wanted:
            return self.chosen.get(wanted, wanted)
        return next((self.chosen[key] for key in GROUPS if key in self.used), None)

    def resolution(self, name: str) -> str | None:
        found = {match[1] or match[2] for match in HEIGHT.finditer(name)}
        return self.notes.get("res") or (f"{found.pop()}p" if len(found) == 1 else None)


def with_separator(text: str, separator: str, *, glue: bool) -> str:
    if separator == " " or (not separator and not glue):
        return text
    if not separator:
        return text.replace(" ", "")
    if separator == "!":
        return "READNFO"
    plain = re.sub(r"[:,!?]|(?<=\w)'(?=\w)|(?<=\w)\.(?=\s|$)", "", text)
    plain = plain.replace(" & ", " and ").replace(" - ", " ")
    return plain.replace(" ", separator)
