"""Season and episode as a code: `S01E02`, `S01E02-E04`, `1x02`, and packs such as `S01-S03`."""

# ruff: noqa: RUF001 - letters and brackets of other scripts are meant.

import re
from collections.abc import Set as AbstractSet

from msgspec.structs import replace

from quartet.media.names.numbers import (
    LIST_WORDS,
    RANGE_WORDS,
    EpisodeNumbers,
    Form,
    add_following_numbers,
    expand_range,
    is_range,
)

HEAD = re.compile(
    r"[st](?=\d)(?<![^\W_].)(\d{1,4})(?:x?[\s._-]{0,3}ep?|-?x|b(?=\d\d(?!\d)))[\s._#:-]{0,2}"
    # `S01 EP #1.2` is handled by `worded_numbers`.
    # A resolution may follow without a separator; see `GLUED`.
    # `S01E05a` is the first story of an episode.
    r"(?!(?<=#)\d{1,2}\.\d)(\d{1,4})(?!\d*[pi](?![^\W_]))(?:v\d|[a-d](?![^\W_]))?",
    re.I,
)
# The same episodes in absolute numbering: `Show 313-315 s16e03-05`, `Show - 313 (S16E03)`,
# `Show - 313 - S16E03`.
ABSOLUTE_RANGE = re.compile(
    r"(?<=[\s._-])\d{2,4}-\d{2,4}[\s._-]{1,3}$|(?<= - )\d{2,4} (?:[\[(]|- )$"
)
MAYBE_CROSS = re.compile(r"\d ?[xXхХeE] ?\d")
# The season is a year: `Show 2016x03`.
YEAR_CROSS = re.compile(r"(?<![^\W_])((?:19|20)\d\d)x(\d{2,3})(?![^\W_])", re.I)
# A redundant word for the episode: `Ep 2x03`.
WORD_BEFORE = re.compile(r"(?<![^\W_])(?:ep|episode)[\s._]{1,2}$", re.I)
CROSS = re.compile(
    # Not `5.1x264`, but `DS9.7x25`.
    r"(?<!\d)(?:(?<!\D\d\.)|(?=\d\d?x(?!26\d)))(\d{1,2})(?:[xх]| [xх] )(\d{2,4})(?!\d|bit)"
    r"(?:[a-d](?![^\W_]))?"
    r"|(?<![^\W_])(?<!\d\.)(\d{1,2})[xх](\d)(?![^\W_])"
    r"|(?<![^\W_])(\d{1,2})e(\d{2,3})(?![^\W_])",
    re.I,
)
# The episode is written twice: `Show - 205 (05)` and `205 05`.
TWICE = re.compile(r"(?<=- )(\d{1,2})(\d\d) \(\2\)|^(\d{1,2})(\d\d)[ ._-]\4$")
JOINED = rf"[-–~+&,/_]|(?:{RANGE_WORDS}|{LIST_WORDS})(?=[\s._])"
# Another episode: `E03`, `-E03`, `-S01E03`, `-03`, `x03`, `-1x03`, ` to E03`.
MORE = re.compile(
    rf"[\s._]?({JOINED})?[\s._]?(?:s(\d{{1,4}})[\s._]?)?ep?(\d{{1,4}})"
    r"(?:v\d|[a-d](?![^\W_]))?(?!\d)"
    rf"|(?:[\s._]?({JOINED})?[\s._]?\d{{1,2}}|(-))?x(\d{{2,3}})(?:v\d)?(?![^\W_xX])"
    r"|([-–~+&])(\d{1,4})(?:v\d)?(?![^\W_])",
    re.I,
)
# So far no digit follows, with which everything below continues.
NO_MORE = re.compile(r"\D{12}|\D*$")
# A bare number after a comma, an underscore, a word or the German `u` continues a list only if it
# is the next one.
NEXT_IN_LIST = re.compile(
    rf"(?:,\s?|_|u|[\s._](?:&|\+|{LIST_WORDS})[\s._])(\d{{1,3}})(?![^\W_])", re.I
)
UP_TO = re.compile(rf"[\s._](?:{RANGE_WORDS})[\s._](\d{{1,3}})(?![^\W_])", re.I)
# Without a separator before it: `QuietHarbourS02E03`; a resolution may follow: `E03720p`.
MAYBE_GLUED = re.compile(r"[sS]\d\d[eE]\d\d|[a-z]\dx\d\d")
GLUED = re.compile(
    r"(?<=[^\W_])s(\d\d)e(\d{2,3}?)(?=$|[\W_]|e\d|(?:2160|1080|720|576|480)[pi])"
    r"|(?<=[^\W\d_])(\d)x(\d\d)(?![^\W_])",
    re.I,
)
# Also the season of a disc, `S07D1`, and a year, `S2010`.
# `T04` is the Spanish and Portuguese spelling; `T4` may be part of a title.
PACK = re.compile(
    r"(?<![^\W_])(?<![^\W_]-)(?:s(?=\d)|t(?=0\d(?![^\W_])|\d\d?[\s._](?:cap|ep|complet[ao])))"
    r"(\d{1,3}|(?:19|20)\d\d)(?=$|[\W_]|d\d|s\d|extras)",
    re.I,
)
# `S01 02 03`: two or more following numbers are seasons.
RUN = re.compile(r"(?:[\s.]\d\d){2,}$")
LISTED = re.compile(r"\d+")
ALL = re.compile(r"(?<![^\W_])(\d{1,2})xall(?![^\W_])", re.I)
MORE_PACKS = re.compile(
    r"[\s.]?(-{1,2}|to|bis|à|a(?=[\s.]s)|[,/&+]|\s|(?=s))[\s.]?(s?)(\d{1,3})(?=$|[\W_]|s\d)", re.I
)

SPANS = frozenset(("-", "--", "to", "bis", "à", "a"))


# The letters of the codes, as they are in `Words.stems`.
HEAD_STEMS = frozenset("st")
CROSS_STEMS = frozenset("xхe")


def find(text: str, stems: AbstractSet[str]) -> EpisodeNumbers | None:
    if not HEAD_STEMS.isdisjoint(stems) and (match := HEAD.search(text)):
        found = read_episode_code(text, match, "sxxeyy")
        through = ABSOLUTE_RANGE.search(text, max(0, match.start() - 14), match.start())
        return replace(found, start=through.start()) if through else found
    if not CROSS_STEMS.isdisjoint(stems):
        if MAYBE_CROSS.search(text) and (match := CROSS.search(text) or YEAR_CROSS.search(text)):
            return read_cross(text, match)
        if MAYBE_GLUED.search(text) and (match := GLUED.search(text)):
            return read_episode_code(text, match, "glued")
    if (" (" in text or text[:1].isdigit()) and (match := TWICE.search(text)):
        return read_episode_code(text, match, "cross")
    return None


def read_cross(text: str, match: re.Match[str]) -> EpisodeNumbers | None:
    if match[0].lower() == "16x9":
        return None
    found = read_episode_code(text, match, "cross")
    word = WORD_BEFORE.search(text, max(0, match.start() - 10), match.start())
    return replace(found, start=word.start()) if word else found


def read_episode_code(text: str, match: re.Match[str], form: Form) -> EpisodeNumbers:
    season, episode = (int(number) for number in match.groups() if number)
    episodes = [episode]
    end = match.end()
    if NO_MORE.match(text, end):
        return EpisodeNumbers(form, match.start(), end, (season,), (episode,))
    while more := MORE.match(text, end):
        number = int(more[3] or more[6] or more[8])
        if number > 1900 or (not more[3] and number < episodes[-1]):
            break
        if more[2] and int(more[2]) != season:
            if is_range(more[1]) and int(more[2]) > season:
                # `S01E01-S08E16` contains whole seasons.
                seasons = expand_range(season, int(more[2]))
                return EpisodeNumbers("pack", match.start(), more.end(), seasons)
            break
        if is_range(more[1] or more[4] or more[5] or more[7]):
            episodes += expand_range(episodes[-1], number)[1:]
        else:
            episodes.append(number)
        end = more.end()
    end = add_listed(text, episodes, end)
    end = add_following_numbers(text, episodes, end)
    return EpisodeNumbers(form, match.start(), end, (season,), tuple(dict.fromkeys(episodes)))


def add_listed(text: str, episodes: list[int], end: int) -> int:
    """Append the numbers of `E02, 03, 04` and `E02 to 04`, and return where they end."""
    while (more := NEXT_IN_LIST.match(text, end)) and int(more[1]) == episodes[-1] + 1:
        episodes.append(int(more[1]))
        end = more.end()
    if (last := UP_TO.match(text, end)) and int(last[1]) > episodes[-1]:
        episodes += expand_range(episodes[-1], int(last[1]))[1:]
        end = last.end()
    return end


def find_packs(text: str) -> EpisodeNumbers | None:
    """Read `S01`, `S01-S07`, `S01-07` and `S01 / S02`.

    In `S2-07`, different widths mean an episode.
    """
    match = PACK.search(text)
    if not match:
        every = ALL.search(text)
        return (
            EpisodeNumbers("pack", every.start(), every.end(), (int(every[1]),)) if every else None
        )
    seasons = [int(match[1])]
    end = match.end()
    if run := RUN.match(text, end):
        counted = [int(number) for number in LISTED.findall(run[0])]
        if counted == list(range(seasons[0] + 1, seasons[0] + 1 + len(counted))):
            return EpisodeNumbers("pack", match.start(), run.end(), (seasons[0], *counted))
    while more := MORE_PACKS.match(text, end):
        sign, letter, digits = more.groups()
        # `S02 - 07` and `S2-07` contain an episode, `S02-07` more seasons.
        if not letter and (sign not in SPANS or len(digits) != len(match[1])):
            break
        if not letter and sign == "-" and more[0][0] != "-":
            break
        if int(digits) <= seasons[-1]:
            break
        if sign.lower() in SPANS:
            seasons += expand_range(seasons[-1], int(digits))[1:]
        else:
            seasons.append(int(digits))
        end = more.end()
    return EpisodeNumbers("pack", match.start(), end, tuple(dict.fromkeys(seasons)))
