from pathlib import Path

import msgspec
import pytest

from quartet.kernel.translations import (
    code_problems,
    find_error_codes,
    language_problems,
    message_inputs,
    unused_errors,
)

SOURCE = """
def f(x):
    if x:
        raise AppError(404, "not_found")
    problem = Problem("no_space", {"free": 1})
    raise AppError(400, "too_long", max=5, name=x) from None
"""


def test_codes_are_found_with_their_inputs(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text(SOURCE)
    assert find_error_codes(tmp_path) == {
        "not_found": set(),
        "no_space": {"free"},
        "too_long": {"max", "name"},
    }


@pytest.mark.parametrize(
    ("text", "inputs"),
    [
        ("plain", set()),
        ("{count} of {total}", {"count", "total"}),
        (
            [
                {
                    "declarations": ["input count", "local form = count: plural"],
                    "selectors": ["form"],
                    "match": {"form=one": "one {thing}", "form=other": "{count}"},
                }
            ],
            {"count"},
        ),
    ],
)
def test_inputs_of_message(text: object, inputs: set[str]) -> None:
    assert message_inputs(text) == inputs


def test_languages_must_have_same_keys_and_inputs(tmp_path: Path) -> None:
    german = {"a": "{x}", "b": "nur hier", "c": "gleich"}
    english = {"a": "{y}", "c": "same", "d": "only here"}
    (tmp_path / "de.json").write_bytes(msgspec.json.encode(german))
    (tmp_path / "en.json").write_bytes(msgspec.json.encode(english))
    found = " ".join(language_problems(tmp_path))
    assert " a has different inputs" in found
    assert " b is missing in" in found
    assert " d is missing in" in found
    assert " c " not in found


def test_code_without_text_and_text_without_code_are_reported() -> None:
    codes = {"gone": set[str](), "late": {"seconds"}}
    texts = {"error_late": "in {seconds} s, {name}", "error_old": "?"}
    assert list(code_problems(codes, texts)) == [
        "gone: no text",
        "late: the text uses name, which no code provides",
    ]
    assert list(unused_errors(codes, texts)) == ["error_old: unused text"]
