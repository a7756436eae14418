"""Season and episode in words: `Season 1 Episode 2`, `2. Staffel`, `Серия 11`, `第3話`."""

# ruff: noqa: RUF001 - letters and brackets of other scripts are meant.

import re
from collections.abc import Iterable
from collections.abc import Set as AbstractSet

from msgspec.structs import replace

from quartet.media.names import asian_numbers
from quartet.media.names.numbers import (
    LIST_WORDS,
    RANGE_WORDS,
    EpisodeNumbers,
    add_following_numbers,
    expand_range,
    is_range,
)
from quartet.media.names.tables.numbering import (
    EPISODES,
    ORDINALS,
    SEASONS,
    SPELLED,
    VALUES,
    WEAK_SEASONS,
)


def alternation(words: Iterable[str]) -> str:
    return "|".join(sorted(words, key=len, reverse=True))


EPISODE_WORDS = EPISODES | {"e"}
SEASON = alternation(SEASONS)
WEAK_SEASON = (
    rf"(?:{alternation(WEAK_SEASONS)})"
    # `Series 1-9`, but not `Series 2-113`; `Series One`, but not `Series I Like`.
    rf"(?=[\s._:#-]{{1,3}}(?:\d{{1,2}}(?!\d|-\d{{3}}|-\d\d?-)|(?:{alternation(SPELLED)})(?![^\W_])))"
)
EPISODE = alternation(EPISODES)
ORDINAL = r"(?:st|nd|rd|th|[ªº°aйяе]|-(?:й|я|ой|ая|ja|ya|ое|ий|го)|Âº|\.(?=\s))"
AFTER_SEASON = re.compile(
    rf"(?<![^\W_])(?:{SEASON}|{WEAK_SEASON})"
    r"[\s._:#№(-]{0,3}"
    rf"(?:(\d{{1,3}})(?![\dp])|({alternation(VALUES)})(?![^\W_]))",
    re.I,
)
BEFORE_SEASON = re.compile(
    rf"(?<![^\W_])(?:(\d{{1,3}}){ORDINAL}?\s?(?:a|-|to|до|по)\s?)?(\d{{1,3}})(\s?{ORDINAL})?"
    rf"\.?[\s._-]{{0,2}}(?P<word>{SEASON})(?![^\W_])",
    re.I,
)
# `The Complete Second Season` and `Stagione Terza`.
ORDINAL_WORD = rf"(?P<{{}}>{alternation(ORDINALS)})[nrs]?"
ORDINAL_STEMS = frozenset(word + end for word in ORDINALS for end in ("", "n", "r", "s"))
# All words that the rules below need.
WORDS = SEASONS | WEAK_SEASONS | EPISODE_WORDS | ORDINAL_STEMS | {"st", "тв"}
NAMED_SEASON = re.compile(
    rf"(?<![^\W_]){ORDINAL_WORD.format('before')}[\s._](?:{SEASON}|{alternation(WEAK_SEASONS)})"
    rf"(?![^\W_]|[\s._]\d{{1,2}}(?![^\W_]))"
    rf"|(?<![^\W_])(?:{SEASON})[\s._]{ORDINAL_WORD.format('after')}(?![^\W_])",
    re.I,
)
LAST_SEASON = re.compile(r"(?:final|last)[\s._]$", re.I)
# Words before a season that belong to it.
WHOLE = re.compile(
    r"[\s._-]*(?<![^\W_])(?:(?:the|die|der|de|la|le|il|l['’]|het)[\s._]?)?"
    r"(?:(?:complete|entire|whole|komplette|kompletten|gesamte|completa|intera|complète|int[ée]grale?)"
    r"[\s._])?$",
    re.I,
)
MORE_SEASONS = re.compile(
    r"([\s.]?(?:[-–~:]|to|bis|до|à|al?|t-m)[\s.]?|[\s.]?(?:[,/&+]|(?:and|und|et|y|e|en|и)(?=[\s.]))[\s.,&]{0,3}|[\s.](?=\d))"
    rf"((?:{SEASON})[\s.]?)?(\d{{1,2}})(?![^\W_])",
    re.I,
)
# `Episode #1.2`, as catalogs name an episode without a title.
NUMBERED = r"(?<=#\d\.)\d|(?<=#\d\d\.)\d"
AFTER_EPISODE = re.compile(
    rf"(?<![^\W_])(?:(?:{EPISODE})(?:[\s._]no\.?[\s._]?|[\s._:#№(\[-]{{0,3}})|e(?=\d{{1,5}}(?:v\d)?(?:$|[\W_]|e\d)))(\d{{1,5}})(?!\d|x\d|[pi](?![^\W_]))"
    # `Episode 2.05` has the season first, but not `E02.10`.
    rf"(?:(?<!0\d)(?<!0\d\d)\.(\d{{2}}|{NUMBERED})(?![^\W_]))?"
    r"(?:v\d)?",
    re.I,
)
BEFORE_EPISODE = re.compile(
    rf"(?<![^\W_])(?:(\d{{1,4}})\s?[-–]\s?)?(\d{{1,4}})\s?"
    # English uses `11th episode`; in `11.episode.title` the word starts something else.
    rf"(?:{ORDINAL}[\s._]{{0,2}}|[\s._]{{0,2}}(?!episode[\s._][^\W\d_]))(?:{EPISODE})"
    r"(?![^\W_]|[\s._:#№(-]{0,3}\d{1,3}(?![\dpi]))",
    re.I,
)
SPELLED_EPISODE = re.compile(
    rf"(?<![^\W_])(?:(?:{EPISODE})[\s._]({'|'.join(SPELLED)})|ep[\s._]{{1,2}}([ivx]+))(?![^\W_])",
    re.I,
)
MORE_EPISODES = re.compile(
    rf"(?:\s?([-–~])\s?ep?|([-–~+&,_])|(\s[~&+]\s|\s-\s(?=\d+(?![\d-]|\.\d))|,\s"
    rf"|[\s._](?:{RANGE_WORDS}|{LIST_WORDS})[\s._])|([\s._]?)ep?)"
    rf"\s?(?:(?:{EPISODE})[\s._]?)?(\d{{1,5}})(?:v\d)?(?=$|[\W_]|e\d)",
    re.I,
)
# `1 3 & 5` and `1.3.4`: more numbers follow.
MORE_FOLLOW = re.compile(r"(?:\s?&\s?|[\s.](?:and|und|y|e|и)[\s.]|[\s.])(\d{1,2})(?![^\W_])", re.I)
LISTED = frozenset(("", "/", "+", "and", "und", "y", "e", "и"))
UP_TO = re.compile(r"\s?(?:из|of)\s?\d", re.I)
# A season of anime in Russian names.
TV_SEASON = re.compile(r"(?<![^\W_])(?:ТВ|TV)[\s-]?(\d)(?![^\W_])", re.I)
SHORT_SEASON = re.compile(
    rf"(?<![^\W_])st[\s.]{{0,2}}(\d{{1,2}})(?=[\s.,_-]{{1,3}}(?:{EPISODE})[\s.]{{0,2}}\d)", re.I
)
EPISODE_FOLLOWS = re.compile(
    rf"\s?{ORDINAL}?[\s._-]{{0,2}}(?:{EPISODE})(?![^\W_]|[\s._:#№(-]{{0,3}}\d{{1,3}}(?![\dpi]))",
    re.I,
)


def seasons(text: str, stems: AbstractSet[str]) -> EpisodeNumbers | None:
    found = latin_season(text, stems)
    if found:
        return with_words_before(text, found)
    if not text.isascii():
        found = asian_numbers.season(text)
    # `St.2 Folge 4`: short for the German word, but also for a saint or a street.
    if not found and "st" in stems and (match := SHORT_SEASON.search(text)):
        found = EpisodeNumbers("worded", match.start(), match.end(), (int(match[1]),))
    if not found and "тв" in stems and (match := TV_SEASON.search(text)):
        found = EpisodeNumbers("worded", match.start(), match.end(), (int(match[1]),))
    return found


def latin_season(text: str, stems: AbstractSet[str]) -> EpisodeNumbers | None:
    found = None
    worded = not SEASONS.isdisjoint(stems)
    if worded:
        found = before(text) or named_season(text, stems) or after(text)
    elif not WEAK_SEASONS.isdisjoint(stems):
        found = named_season(text, stems) or after(text)
    return found


def before(text: str) -> EpisodeNumbers | None:
    """Read `2nd Season` and `2.

    Staffel`; without an ordinal mark only if no other number follows.
    """
    match = BEFORE_SEASON.search(text)
    if not match:
        return None
    later = None if match[3] else AFTER_SEASON.match(text, match.start("word"))
    # `5 сезон: 1-10 серии`
    listed = BEFORE_EPISODE.match(text, later.start(1)) if later and later[1] else None
    if later and not listed and not EPISODE_FOLLOWS.match(text, later.end()):
        return None
    last = int(match[2])
    found = expand_range(int(match[1]), last) if match[1] else (last,)
    return EpisodeNumbers("worded", match.start(), match.end(), found)


def after(text: str) -> EpisodeNumbers | None:
    match = AFTER_SEASON.search(text)
    # `[Group] The Final Season - 12` contains an episode.
    if not match or ("- " in match[0] and LAST_SEASON.search(text, 0, match.start())):
        return None
    if not match[1]:
        # A look-alike letter from another script has no value.
        value = VALUES.get(match[2].casefold())
        return EpisodeNumbers("worded", match.start(), match.end(), (value,)) if value else None
    found, end = listed_seasons(text, [int(match[1])], match.end())
    return EpisodeNumbers("worded", match.start(), end, found)


def named_season(text: str, stems: AbstractSet[str]) -> EpisodeNumbers | None:
    """Read `Second Season`. `First Season` at the start of a name may be a title."""
    match = None if ORDINAL_STEMS.isdisjoint(stems) else NAMED_SEASON.search(text)
    if not match or not match.start():
        return None
    word = (match["before"] or match["after"]).casefold()
    value = ORDINALS.get(word)
    return EpisodeNumbers("worded", match.start(), match.end(), (value,)) if value else None


def with_words_before(text: str, found: EpisodeNumbers) -> EpisodeNumbers:
    """`Die komplette zweite Staffel`: the words before the season are not part of the title."""
    whole = WHOLE.search(text, max(0, found.start - 24), found.start)
    return replace(found, start=whole.start()) if whole and whole.start() else found


def listed_seasons(text: str, found: list[int], end: int) -> tuple[tuple[int, ...], int]:
    """Read `1, 2 & 3`, `1-4`, `1 to 6` and `1 2 3`, but not `1 - 08`, which contains an episode."""
    while more := MORE_SEASONS.match(text, end):
        sign, number = more[1], int(more[3])
        if number <= found[-1]:
            break
        if not sign.strip(" ."):
            following = MORE_FOLLOW.match(text, more.end())
            more_follow = int(following[1]) > number if following else len(found) > 1
            if number != found[-1] + 1 and not more_follow:
                break
            found.append(number)
        elif sign.strip(" .,&").lower() in LISTED:
            found.append(number)
        else:
            apart = not more[2] and sign.strip(" .") in ("-", "–") and " " in sign
            if apart and len(more[3]) > len(str(found[0])):
                break
            found += expand_range(found[-1], number)[1:]
        end = more.end()
    return tuple(found), end


def episodes(text: str, stems: AbstractSet[str], since: int) -> EpisodeNumbers | None:
    """Search after the season first."""
    found = None
    if not EPISODE_WORDS.isdisjoint(stems):
        found = named_episodes(text, since) or (named_episodes(text, 0) if since else None)
    return found or (None if text.isascii() else asian_numbers.episodes(text, since))


def named_episodes(text: str, since: int) -> EpisodeNumbers | None:
    after = AFTER_EPISODE.search(text, since)
    # A match after `after` could not win.
    before = BEFORE_EPISODE.search(text, since, after.end() if after else len(text))
    if before and (not after or before.start() < after.start()):
        last = int(before[2])
        found = expand_range(int(before[1]), last) if before[1] else (last,)
        return EpisodeNumbers("worded", before.start(), before.end(), (), found)
    return after_episode(text, after) if after else spelled_episode(text, since)


def spelled_episode(text: str, since: int) -> EpisodeNumbers | None:
    """Read `Episode Five` and `Ep. V`; `Episode V` is often part of a title."""
    match = SPELLED_EPISODE.search(text, since)
    value = VALUES.get((match[1] or match[2]).casefold()) if match else None
    if not match or not value:
        return None
    return EpisodeNumbers("worded", match.start(), match.end(), (), (value,))


def after_episode(text: str, match: re.Match[str]) -> EpisodeNumbers:
    if match[2]:
        season, episode = int(match[1]), int(match[2])
        return EpisodeNumbers("worded", match.start(), match.end(), (season,), (episode,))
    found = more_episodes(text, match, int(match[1]))
    # `Серии: 5 из 20`: the first five of twenty.
    plural = len(found.episodes) == 1 and match[0].lower().startswith(("серии", "serii"))
    if plural and UP_TO.match(text, found.end):
        return replace(found, episodes=expand_range(1, found.episodes[0]))
    return found


def more_episodes(text: str, match: re.Match[str], first: int) -> EpisodeNumbers:
    found = [first]
    end = match.end()
    while more := MORE_EPISODES.match(text, end):
        number = int(more[5])
        if number <= found[-1] or 1900 <= number < 2100:
            break
        sign = more[1] or more[2] or more[3]
        ranged = is_range(sign) or sign == "_"
        # In a list written with a space the next number follows: `1, 2`, but not `1, 3 Kings`.
        if not ranged and sign and sign[0] in " ,._" and number != found[-1] + 1:
            break
        found += expand_range(found[-1], number)[1:] if ranged else (number,)
        end = more.end()
    end = add_following_numbers(text, found, end)
    return EpisodeNumbers("worded", match.start(), end, (), tuple(found))
