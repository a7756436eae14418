import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from quartet.kernel.errors import AppError
from quartet.kernel.files.paths import relative_path

# No deadline, as the machine may be busy.
UNHURRIED = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("a", ("a",)),
        ("a/b.txt", ("a", "b.txt")),
        ("./a//b/", ("a", "b")),
        ("...", ("...",)),
        ("Serie S01: Teil", ("Serie S01: Teil",)),
    ],
)
def test_relative_path_is_split_into_components(text: str, parts: tuple[str, ...]) -> None:
    assert relative_path(text) == parts


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("", "path_invalid"),
        (".", "path_invalid"),
        ("./", "path_invalid"),
        ("a\0b", "path_invalid"),
        ("a\\b", "path_invalid"),
        ("a/..\\..\\b", "path_invalid"),
        ("\ud800", "path_invalid"),
        ("/etc/passwd", "path_outside_root"),
        ("//server/share", "path_outside_root"),
        ("\\\\server\\share", "path_outside_root"),
        ("\\windows", "path_outside_root"),
        ("C:\\windows", "path_outside_root"),
        ("c:file", "path_outside_root"),
        ("..", "path_outside_root"),
        ("a/../../b", "path_outside_root"),
        ("a/..", "path_outside_root"),
        ("x" * 256, "name_too_long"),
        ("ü" * 128, "name_too_long"),
        ("a/" * 2100, "name_too_long"),
    ],
)
def test_invalid_paths_are_rejected(text: str, code: str) -> None:
    with pytest.raises(AppError) as caught:
        relative_path(text)
    assert (caught.value.status, caught.value.code) == (400, code)


@UNHURRIED
@given(st.text(st.characters(exclude_categories=()), max_size=40))
def test_any_text_gives_plain_names_or_encodable_error(text: str) -> None:
    try:
        parts = relative_path(text)
    except AppError as error:
        assert msgspec.json.encode(error.inputs)
    else:
        assert parts
        assert not {"", ".", ".."} & set(parts)
        assert not any("/" in part or "\0" in part for part in parts)
