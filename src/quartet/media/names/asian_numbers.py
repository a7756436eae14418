"""Season and episode in Chinese, Japanese and Korean: `第2季 第3集`, `第3話`, `3화`."""

import re

from quartet.media.names.numbers import EpisodeNumbers, expand_range

HAN = "[〇零一二三四五六七八九十百壱弐参拾]{1,5}"
SEASON = re.compile(
    rf"第\s?(\d{{1,3}}|{HAN})\s?[季期部]|(?<![\d.-])(\d{{1,2}})[季期기](?![^\W\d_])"
)
EPISODE = re.compile(
    rf"第\s?(\d{{1,4}}|{HAN})(?:\s?[-~至]\s?(\d{{1,4}}))?\s?[話话集回夜]"
    r"|(?:(?<!\d)|제)(?:(\d{1,4})[화회話话集]?\s?[-~]\s?)?(\d{1,4})(?:[화회話话集부])"
)
# An issue of a show; see `season`.
ISSUE = re.compile(rf"第\s?(\d{{1,4}}|{HAN})\s?期")
# More seasons of an anime are rare.
MOST_PARTS = 5
# `更新至12集`: all episodes up to this one.
UP_TO_NOW = re.compile(r"更新?至\s?(?:第|EP?)?\s?(\d{1,4})\s?[話话集期]?", re.I)
# All episodes: `全24集`.
WHOLE = re.compile(r"[全共]\s?\d{1,4}\s?[話话集回]|전\s?\d{1,4}\s?[화회]")
HAN_DIGITS = "〇一二三四五六七八九"
# The forms of legal documents, which some series use for their episodes: `第弐拾話`.
FORMAL = str.maketrans("壱弐参拾", "一二三十")


def season(text: str) -> EpisodeNumbers | None:
    """`第12期` is the issue of a show, unless an episode follows: `第2期 第12話`."""
    match = SEASON.search(text)
    if not match:
        return None
    value = chinese_number(match[1] or match[2])
    issue = match[0].endswith("期") and value > MOST_PARTS and match[1]
    if issue and not EPISODE.search(text, match.end()):
        return None
    return EpisodeNumbers("worded", match.start(), match.end(), (value,))


def chinese_number(digits: str) -> int:
    """Also reads Chinese numerals such as `二十三`."""
    if digits.isdecimal():
        return int(digits)
    hundreds, hundred, rest = digits.translate(FORMAL).replace("零", "").rpartition("百")
    tens, ten, ones = rest.rpartition("十")
    value = HAN_DIGITS.find(ones) if ones else 0
    value += 10 * (HAN_DIGITS.find(tens) if tens else 1) if ten else 0
    return value + (100 * HAN_DIGITS.find(hundreds) if hundred else 0)


def episodes(text: str, since: int) -> EpisodeNumbers | None:
    if whole := WHOLE.search(text):
        return EpisodeNumbers("pack", whole.start(), whole.end())
    if (upto := UP_TO_NOW.search(text)) and int(upto[1]):
        found = expand_range(1, int(upto[1]))
        return EpisodeNumbers("worded", upto.start(), upto.end(), (), found)
    match = EPISODE.search(text)
    if not match:
        return issue(text, since)
    last = match[2] if match[1] else match[4]
    first = chinese_number(match[1] or match[3] or match[4])
    found = expand_range(first, int(last)) if last else (first,)
    return EpisodeNumbers("worded", match.start(), match.end(), (), found)


def issue(text: str, since: int) -> EpisodeNumbers | None:
    match = ISSUE.search(text, since)
    if not match:
        return None
    return EpisodeNumbers("worded", match.start(), match.end(), (), (chinese_number(match[1]),))
