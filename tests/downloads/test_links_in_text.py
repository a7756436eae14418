"""Finding links in pasted text."""

import string
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quartet.downloads.links.naming import package_name
from quartet.downloads.links.parse import LONGEST_LINK, links_in


def urls(text: str) -> list[str]:
    return [link.url for link in links_in(text)]


def test_one_link_per_line() -> None:
    text = "http://a.example/1.rar\r\n\n  https://b.example/2.rar\nftp://c.example/3.rar"
    assert urls(text) == [
        "http://a.example/1.rar",
        "https://b.example/2.rar",
        "ftp://c.example/3.rar",
    ]


@pytest.mark.parametrize(
    ("start", "row"),
    [
        ("http://a.example/", ",;|"),
        ("http://a.example/", ".)"),
        ("magnet:?xt=", "'`"),
        ("", "<!DOCTYPE "),
    ],
)
def test_text_of_strangers_is_searched_in_linear_time(start: str, row: str) -> None:
    """The first of these rows took minutes, during which no other request was answered."""
    began = time.thread_time()
    assert len(urls(start + row * (300_000 // len(row)))) <= 1
    assert time.thread_time() - began < 3


def test_magnet_links_with_odd_hashes_are_left_out() -> None:
    assert urls(f"magnet:?xt=urn:btih:{'é' * 32} magnet:?xt=urn:btih:{'1' * 32}") == []


def test_duplicates_are_removed() -> None:
    text = "http://a.example/1 http://a.example/2 http://a.example/1"
    assert urls(text) == ["http://a.example/1", "http://a.example/2"]


def test_links_in_html_and_prose() -> None:
    text = (
        "<a href=\"http://a.example/1\">x</a> <a href='http://a.example/2'>y</a> "
        "(see http://a.example/3), <http://a.example/4>; http://a.example/5,http://a.example/6; "
        "http://a.example/a_(b).zip"
    )
    assert urls(text) == [
        *(f"http://a.example/{number}" for number in range(1, 7)),
        "http://a.example/a_(b).zip",
    ]


def test_apostrophe_inside_link_is_kept() -> None:
    assert urls("http://a.example/Bob's.zip") == ["http://a.example/Bob's.zip"]


def test_fragments_and_queries_are_kept() -> None:
    link = "https://mega.example/file/x#key-1_2?a=1&b=http://c.example/x"
    assert urls(link) == [link]


def test_invalid_links_are_skipped() -> None:
    text = (
        "magnet:?x javascript:alert(1) file:///etc/passwd data:text/plain,x http:// http://:80/ "
        "http://[::1/x http://a.example:99999999/x word xhttp://a.example/x "
        "http://a.example/" + "x" * LONGEST_LINK
    )
    assert urls(text) == []


def test_names_come_from_the_path() -> None:
    text = "http://a.example/x/My%20File.zip?token=1 http://b.example/ http://c.example/..%2f..%2fe"
    assert [link.name for link in links_in(text)] == ["My File.zip", "b.example", "_.._e"]


@given(st.text())
def test_arbitrary_text_gives_only_usable_links(text: str) -> None:
    for link in links_in(text):
        assert link.url in text
        assert link.host and link.name
        assert "/" not in link.name and len(link.name.encode()) <= 255


# A dot at the end belongs to the sentence.
PATHS = st.text(string.ascii_letters + string.digits + "._-~%", min_size=1).filter(
    lambda path: not path.endswith(".")
)


@given(
    st.lists(PATHS, min_size=1),
    st.sampled_from(["\n", " ", "\r\n", "\t", '" "', "> <", " , "]),
)
def test_joined_links_are_found_in_order(paths: list[str], between: str) -> None:
    given_urls = [f"http://host.example/{path}" for path in paths]
    assert urls(between.join(given_urls)) == list(dict.fromkeys(given_urls))


def test_package_is_named_after_its_files() -> None:
    assert package_name(["Holiday.part1.rar", "Holiday.part2.rar"]) == "Holiday"
    assert package_name(["Holiday.r00", "Holiday.rar", "Holiday.sfv"]) == "Holiday"
    assert package_name(["playlist.m3u8"]) == "playlist"
    assert package_name(["disk.7z.001", "disk.7z.002"]) == "disk"
    assert package_name(["Show.S01E01.mkv", "Show.S01E02.mkv"]) == "Show"
    assert package_name(["one.zip", "two.dat", "three"]) == "one (+2)"
    assert package_name([".rar"]) == ".rar"
    assert package_name(["notes.v2"]) == "notes.v2"


def test_unusual_spellings_of_links_are_understood() -> None:
    text = """
        hxxp://a.example/1 hxxps://a.example/2 h**p://a.example/3
        www.a.example/4 mail@www.a.example
        https://a.example/5?a=1&amp;b=2&copy=3
        See https://a.example/6.zip. And (https://a.example/7.zip).
    """
    assert urls(text) == [
        "http://a.example/1",
        "https://a.example/2",
        "http://a.example/3",
        "https://www.a.example/4",
        "https://a.example/5?a=1&b=2&copy=3",
        "https://a.example/6.zip",
        "https://a.example/7.zip",
    ]


def test_link_in_the_path_of_another_is_not_a_second_link() -> None:
    link = "https://archive.example/web/www.other.example/x"
    assert urls(link) == [link]


def test_addresses_that_identify_a_format_are_no_links() -> None:
    text = (
        '<?xml version="1.0"?><!DOCTYPE html PUBLIC "x" "http://w3.example/xhtml.dtd">\n'
        "<metalink xmlns='http://m.example/' xmlns:a=\"http://n.example/\"><file>"
        "<url>http://a.example/1</url></file></metalink>"
    )
    assert urls(text) == ["http://a.example/1"]
