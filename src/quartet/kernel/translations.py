"""Checks that every error code has a text in every UI language."""

import ast
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

import msgspec

LANGUAGES = ("de", "en")
PREFIX = "error_"
# Error constructors, with the position of the code among their arguments.
MAKERS = {"DatabaseFull": 1, "AppError": 1, "Fatal": 1, "Problem": 0}

Catalog = Mapping[str, object]


def find_error_codes(folder: Path) -> dict[str, set[str]]:
    """Return each error code in a source folder with the inputs it may have."""
    found: dict[str, set[str]] = {}
    for path in sorted(folder.rglob("*.py")):
        for code, inputs in _codes_of(ast.parse(path.read_text())):
            found.setdefault(code, set()).update(inputs)
    return found


def _codes_of(tree: ast.Module) -> Iterator[tuple[str, set[str]]]:
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name):
            continue
        place = MAKERS.get(node.func.id)
        if place is None or len(node.args) <= place:
            continue
        code = node.args[place]
        if isinstance(code, ast.Constant) and isinstance(code.value, str):
            yield code.value, _inputs_given(node)


def _inputs_given(call: ast.Call) -> set[str]:
    """Return the input names from keywords or from a dict literal."""
    mappings = [node for node in call.args if isinstance(node, ast.Dict)]
    keys = [key for mapping in mappings for key in mapping.keys]
    named = {word.arg for word in call.keywords if word.arg}
    return named | {str(key.value) for key in keys if isinstance(key, ast.Constant)}


def load_catalog(folder: Path, language: str) -> dict[str, object]:
    texts = msgspec.json.decode((folder / f"{language}.json").read_bytes(), type=dict[str, object])
    return {key: text for key, text in texts.items() if not key.startswith("$")}


def message_inputs(text: object) -> set[str]:
    """Return the placeholders of a message, including all plural forms."""
    match text:
        case str():
            return set(re.findall(r"\{(\w+)\}", text))
        case list():
            return set().union(*(message_inputs(part) for part in text)) - _locals(text)
        case dict():
            declared = {
                word.split()[1]
                for word in text.get("declarations", [])
                if word.startswith("input ")
            }
            return declared or message_inputs(list(text.get("match", {}).values()))
        case _:
            return set()


def _locals(variants: list[object]) -> set[str]:
    return {
        word.split()[1]
        for variant in variants
        if isinstance(variant, dict)
        for word in variant.get("declarations", [])
        if word.startswith("local ")
    }


def language_problems(folder: Path) -> Iterator[str]:
    """Yield keys and inputs that differ between languages."""
    first, *others = ((language, load_catalog(folder, language)) for language in LANGUAGES)
    for language, texts in others:
        for key in sorted(first[1].keys() ^ texts.keys()):
            yield f"{folder}: {key} is missing in {first[0]} or {language}"
        for key in sorted(first[1].keys() & texts.keys()):
            if message_inputs(first[1][key]) != message_inputs(texts[key]):
                yield f"{folder}: {key} has different inputs in {first[0]} and {language}"


def code_problems(codes: Mapping[str, set[str]], texts: Catalog) -> Iterator[str]:
    """Yield codes without a text and placeholders that no code provides."""
    for code, inputs in sorted(codes.items()):
        text = texts.get(PREFIX + code)
        if text is None:
            yield f"{code}: no text"
        elif unknown := message_inputs(text) - inputs:
            yield f"{code}: the text uses {', '.join(sorted(unknown))}, which no code provides"


def unused_errors(codes: Mapping[str, set[str]], texts: Catalog) -> Iterator[str]:
    for key in sorted(texts):
        if key.startswith(PREFIX) and key.removeprefix(PREFIX) not in codes:
            yield f"{key}: unused text"
