"""Parsing of web pages by the built-in plugins."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quartet.downloads.hosters.builtin._pages import (
    anchors,
    forms,
    resolved_url,
    seconds_in,
    size_in,
)


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ("1.5 GB", 1_610_612_736),
        ("1,5 GiB", 1_610_612_736),
        ("Size: 700 MB (about)", 734_003_200),
        ("12345 bytes", 12_345),
        ("3 TB", 3 * 1024**4),
        ("17 B", 17),
        ("unknown", None),
        ("999999999999999 TB", None),
    ],
)
def test_sizes(text: str, size: int | None) -> None:
    assert size_in(text) == size


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("1 hour, 2 minutes, 3 seconds", 3723),
        ("13 minutes", 780),
        ("2 days", 172_800),
        ("soon", 0),
    ],
)
def test_durations(text: str, seconds: float) -> None:
    assert seconds_in(text) == seconds


def test_forms_contain_fields_a_browser_would_send() -> None:
    [first, second] = forms(
        '<form action="/a"><INPUT type=hidden name=op value="x&amp;y"><input name=empty>'
        '<input type="submit" name="go" value="Go"></form>'
        '<form><button name="send" value="1">Send</button><input value="nameless"></form>'
    )
    assert first == ("/a", {"op": "x&y", "empty": ""}, {"go": "Go"})
    assert second == ("", {}, {"send": "1"})
    assert first.has(op="x&y")
    assert not first.has(op="z")


@given(st.text(alphabet="<>/='\"&;ainputform# \n[]1.GB"))
def test_arbitrary_pages_are_handled(text: str) -> None:
    for anchor in anchors(text):
        resolved_url("https://host.invalid/x", anchor.get("href", ""))
    forms(text)
    assert (size_in(text) or 0) >= 0
    assert seconds_in(text) >= 0
