"""File names that try to leave the folder."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quartet.downloads.transfer.names import name_hint
from quartet.downloads.transfer.pages import page_text

URL = "http://example.org/files/from%20url.bin?x=1"


@pytest.mark.parametrize(
    ("header", "name"),
    [
        ('attachment; filename="a b.zip"', "a b.zip"),
        ("attachment; filename=plain.zip", "plain.zip"),
        ("attachment;FILENAME=x.zip;foo=bar", "x.zip"),
        ('filename="no type.zip"', "no type.zip"),
        ("attachment; filename=plain.zip; filename*=UTF-8''%e2%82%ac.zip", "€.zip"),
        ("attachment; filename*=utf-8'en'%C3%A4.zip; filename=a.zip", "ä.zip"),
        ("attachment; filename*=iso-8859-1''%E4.zip", "ä.zip"),
        ("attachment; filename*=UTF-8''%ff%fe; filename=good.zip", "good.zip"),
        ("attachment; filename*=nonsense; filename=good.zip", "good.zip"),
        ("attachment; filename*=x-none''a.zip; filename=good.zip", "good.zip"),
        (r'attachment; filename="say \"hi\".txt"', "say _hi_.txt"),
        ('attachment; filename="half; name*=x.zip"', "half; name*=x.zip".replace("*", "_")),
        ("attachment; filename=schön.zip".encode().decode("latin-1"), "schön.zip"),
        ("attachment; filename=schön.zip", "schön.zip"),
        # One HTTP client decodes headers as Latin-1, the other as UTF-8 with surrogates.
        ("attachment; filename=M\xfcller.zip", "Müller.zip"),
        (b"attachment; filename=M\xfcller.zip".decode("utf-8", "surrogateescape"), "Müller.zip"),
        ("attachment; filename=\x80 \x93a\x94.zip", "€ “a”.zip"),
        ("attachment; filename=x\x81.zip", "x.zip"),
        # Shift-JIS, GBK and EUC-KR, as bytes and as percent escapes.
        ("attachment; filename=\x8e\xca\x90^.zip", "写真.zip"),
        ('attachment; filename="\x95\\\x8e\xa6.zip"', "表示.zip"),
        ("attachment; filename=\x83\x89\x83s\x83\x85\x83^.avi", "ラピュタ.avi"),
        ("attachment; filename=\xd3\xc5\xd0\xe3\xc3\xd8\xbc\xae.pdf", "优秀秘籍.pdf"),
        ("attachment; filename=%D5%D5%C6%AC.jpg", "照片.jpg"),
        ("attachment; filename=\xb1\xe2\xbb\xfd\xc3\xe6.mkv", "기생충.mkv"),
        ("attachment; filename=Caf\xe9 \xe0 la cr\xe8me.mp3", "Café à la crème.mp3"),
        ('attachment; filename="=?UTF-8?B?c2Now7ZuLnppcA==?="', "schön.zip"),
        ('attachment; filename="=?iso-8859-1?Q?sch=F6n_neu.zip?="', "schön neu.zip"),
        ('attachment; filename="=?none?B?c2No?="', "=_none_B_c2No_="),
        ("attachment", "from url.bin"),
        ("", "from url.bin"),
    ],
)
def test_names_are_parsed(header: str, name: str) -> None:
    assert name_hint(header, URL) == name


@pytest.mark.parametrize(
    ("hostile", "name"),
    [
        ("../../etc/passwd", "passwd"),
        ("/etc/passwd", "passwd"),
        ("..\\..\\windows\\evil.exe", "evil.exe"),
        ("C:\\evil.exe", "evil.exe"),
        ("a\0b.txt", "ab.txt"),
        ("..%2f..%2fx.txt", "x.txt"),
        ("CON", "_CON"),
        ("nul.txt", "_nul.txt"),
        ("-rf", "_rf"),
        (".bashrc", "bashrc"),
        ("x.part", "x.part"),
        ("a:b|c?.txt", "a_b_c_.txt"),
    ],
)
@pytest.mark.parametrize("form", ['attachment; filename="{}"', "attachment; filename*=UTF-8''{}"])
def test_names_stay_in_folder(hostile: str, name: str, form: str) -> None:
    text = hostile if "*" in form else hostile.replace("\\", "\\\\")
    assert name_hint(form.format(text), URL) == name


def test_url_with_file_extension_is_preferred() -> None:
    assert name_hint(None, "http://cdn/x/8f3a", "http://host/my.zip") == "my.zip"
    assert name_hint(None, "http://cdn/real.zip", "http://host/my.zip") == "real.zip"
    assert name_hint(None, "http://cdn/8f3a", "http://host/get") == "8f3a"
    assert name_hint(None, "http://cdn/", "http://host/get") == "get"


@pytest.mark.parametrize("nothing", ["..", ".", "///", "\0", " . . "])
def test_empty_names_are_ignored(nothing: str) -> None:
    assert name_hint(f'attachment; filename="{nothing}"', "http://example.org/") is None


def test_long_names_are_truncated_by_bytes() -> None:
    name = name_hint("attachment; filename*=UTF-8''" + "%C3%A4" * 400 + ".part01.rar", URL)
    assert name is not None
    assert len(name.encode()) <= 255
    assert name.endswith(".part01.rar")


@given(st.text(), st.text())
def test_arbitrary_headers_give_one_safe_name(header: str, url: str) -> None:
    name = name_hint(f"attachment; filename={header}", url)
    if name is not None:
        assert 0 < len(name.encode()) <= 255
        assert not set(name) & set('/\\\0<>:"|?*\r\n')
        assert name not in (".", "..")
        assert not name.startswith(("-", "."))


def test_title_of_a_hostile_page_is_found_at_once() -> None:
    """A server may send half a megabyte at once, which took minutes."""
    began = time.thread_time()
    assert page_text(b"<title>Login</title>" + b"<title>" * 70_000) == "Login"
    assert page_text(b"<title>" * 70_000) == ""
    assert time.thread_time() - began < 3
