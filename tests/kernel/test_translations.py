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
def test_inputs_of_a_text(text: object, inputs: set[str]) -> None:
    assert message_inputs(text) == inputs


def test_languages_must_have_the_same_keys_and_inputs(tmp_path: Path) -> None:
    german = {"a": "{x}", "b": "nur hier", "c": "gleich"}
    english = {"a": "{y}", "c": "same", "d": "only here"}
    (tmp_path / "de.json").write_bytes(msgspec.json.encode(german))
    (tmp_path / "en.json").write_bytes(msgspec.json.encode(english))
    found = " ".join(language_problems(tmp_path))
    assert " a has other inputs" in found
    assert " b is not in both" in found
    assert " d is not in both" in found
    assert " c " not in found


def test_a_code_without_a_text_and_a_text_without_a_code() -> None:
    codes = {"gone": set[str](), "late": {"seconds"}}
    texts = {"error_late": "in {seconds} s, {name}", "error_old": "?"}
    assert list(code_problems(codes, texts)) == [
        "gone: no text",
        "late: the text asks for name, which nobody gives",
    ]
    assert list(unused_errors(codes, texts)) == ["error_old: no code needs this text"]
