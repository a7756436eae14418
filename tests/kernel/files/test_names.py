import time
import unicodedata

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from quartet.kernel.files import safe_name, split_extension, unique_name

# No deadline, as the machine may be busy.
UNHURRIED = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])

ANY_TEXT = st.text(
    st.one_of(
        st.characters(exclude_categories=()),
        st.sampled_from('./\\:*?"<>|\0\n \u202e\u200d\u0301\ud800\udc80CONcon1é👩👨🏽'),
    ),
    max_size=400,
)


@pytest.mark.parametrize(
    ("hostile", "safe"),
    [
        ("Film.mkv", "Film.mkv"),
        ("../../etc/passwd", "_.._etc_passwd"),
        ("..", "unnamed"),
        ("", "unnamed"),
        (" . . ", "unnamed"),
        ("a\0b\x07c", "abc"),
        ("line\nbreak\tname", "line break name"),
        ("C:\\temp\\x", "C__temp_x"),
        ("what? <really>.txt", "what_ _really_.txt"),
        ("name. . .", "name"),
        (".htaccess", "htaccess"),
        ("CON", "_CON"),
        ("nul.txt", "_nul.txt"),
        ("com1.tar.gz", "_com1.tar.gz"),
        ("LPT¹", "_LPT¹"),
        ("aux .log", "_aux .log"),
        ("Console.txt", "Console.txt"),
        ("invoice\u202efdp.exe", "invoicefdp.exe"),
        ("e\u0301te\u0301", "été"),
        ("half \ud83d\ude00 \ud800", "half 😀 _"),
        ("family 👨‍👩‍👧", "family 👨‍👩‍👧"),
    ],
)
def test_hostile_names_become_safe(hostile: str, safe: str) -> None:
    assert safe_name(hostile) == safe


def test_hidden_names_need_allow_hidden() -> None:
    assert safe_name(".config", allow_hidden=True) == ".config"
    assert safe_name("..", allow_hidden=True) == "unnamed"


@pytest.mark.parametrize("extension", [".mkv", ".tar.gz", ".part01.rar", ".7z.001", ".JPEG"])
def test_truncated_name_keeps_extension(extension: str) -> None:
    name = safe_name("ü" * 300 + extension)
    assert name.endswith("ü" + extension)
    assert 253 <= len(name.encode()) <= 255


def test_truncated_name_may_lose_extension() -> None:
    assert safe_name("x" * 300 + ".mkv", keep_extension=False) == "x" * 255


def test_truncation_never_splits_combining_marks() -> None:
    letter = "x\u0323\u0301"  # has no precomposed form
    stem = safe_name(letter * 100).removesuffix(".mkv")
    assert stem == letter * (len(stem) // 3)
    family = "👨‍👩‍👧"
    assert safe_name(family * 20, 40) == family * 2


def test_character_longer_than_limit_is_replaced() -> None:
    assert safe_name("a" + "\u0323" * 300 + ".mkv") == "unnamed.mkv"


def assert_valid(name: str, max_bytes: int) -> None:
    assert 0 < len(name.encode()) <= max_bytes
    assert name not in (".", "..")
    assert not set(name) & set('<>:"/\\|?*')
    assert not any(unicodedata.category(char) in ("Cc", "Cs") for char in name)
    assert unicodedata.is_normalized("NFC", name)
    assert name == name.strip()
    assert not name.endswith(".")
    assert name.partition(".")[0].rstrip().upper() not in {"CON", "PRN", "AUX", "NUL", "COM1"}


@UNHURRIED
@given(ANY_TEXT, st.integers(1, 300), st.booleans(), st.booleans())
@example("CONSOLE", 3, True, False)
@example("€", 2, True, False)
@example("a" * 252 + ". .txt", 255, True, False)
def test_safe_name_is_valid_and_idempotent(
    text: str, max_bytes: int, keep_extension: bool, allow_hidden: bool
) -> None:
    name = safe_name(text, max_bytes, keep_extension, allow_hidden=allow_hidden)
    assert_valid(name, max_bytes)
    assert allow_hidden or not name.startswith(".")
    assert safe_name(name, max_bytes, keep_extension, allow_hidden=allow_hidden) == name


def test_unique_name_puts_number_before_extension() -> None:
    assert unique_name("film.mkv", set()) == "film.mkv"
    assert unique_name("film.mkv", {"film.mkv"}) == "film (1).mkv"
    assert unique_name("film.mkv", {"film.mkv", "film (1).mkv"}) == "film (2).mkv"
    assert unique_name("a.part01.rar", {"a.part01.rar"}) == "a (1).part01.rar"
    assert unique_name("folder", {"folder"}) == "folder (1)"


@UNHURRIED
@given(ANY_TEXT, st.integers(0, 12))
def test_unique_name_is_new_and_within_limit(text: str, times: int) -> None:
    name = safe_name(text)
    taken: set[str] = set()
    for _ in range(times + 1):
        fresh = unique_name(name, taken)
        assert fresh not in taken
        assert_valid(fresh, 255)
        taken.add(fresh)


@UNHURRIED
@given(ANY_TEXT)
def test_split_extension_loses_nothing(text: str) -> None:
    stem, extension = split_extension(text)
    assert stem + extension == text
    assert stem or not text


@pytest.mark.parametrize("row", [" ", ".", " .", "\u0301", ".a", "\u2003"])
def test_long_names_of_strangers_take_linear_time(row: str) -> None:
    """A server may name a file so; a row of spaces of this length took an hour."""
    began = time.thread_time()
    assert len(safe_name(f"a{row * (500_000 // len(row))}b.zip").encode()) <= 255
    assert time.thread_time() - began < 5
