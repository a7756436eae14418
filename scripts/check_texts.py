"""Fails when a code lacks a text, a text is never shown or the languages of the UI differ."""

import re
import sys
from collections.abc import Iterator
from pathlib import Path

from quartet.kernel.translations import (
    PREFIX,
    Catalog,
    code_problems,
    find_error_codes,
    language_problems,
    load_catalog,
    unused_errors,
)
from quartet.services import NAMES

ROOT = Path(__file__).resolve().parent.parent
SOURCES = ROOT / "src" / "quartet"
UI = ROOT / "ui"
KIT = UI / "kit" / "messages"
# Made by the UI itself, when no server answers.
OF_THE_KIT = {"offline": set[str](), "unknown": {"code"}}
# Put together from one of these words and what a server says.
SAID = ("event", "reason", "revision", "rule", "rulefield", "rulehelp", "ruleoption", "token")
SOURCE = (".svelte", ".ts")
GENERATED = {"api.d.ts", "paraglide"}


def shown_in(folder: Path, module: str = "m") -> set[str]:
    """The keys of the texts that the sources of a UI name."""
    files = (path for path in folder.rglob("*") if path.suffix in SOURCE)
    own = (path for path in files if GENERATED.isdisjoint(path.parts))
    return {key for path in own for key in re.findall(rf"\b{module}\.(\w+)", path.read_text())}


def unused_texts(texts: Catalog, shown: set[str]) -> Iterator[str]:
    for key in sorted(texts.keys() - shown):
        if not key.startswith(PREFIX) and key.split("_")[0] not in SAID:
            yield f"{key}: no page shows this text"


def problems() -> Iterator[str]:
    kernel = find_error_codes(SOURCES / "kernel")
    kit = load_catalog(KIT, "en")
    yield from language_problems(KIT)
    yield from code_problems(kernel, kit)
    yield from unused_errors(kernel | OF_THE_KIT, kit)
    by_apps = (shown_in(UI / name / "src", "kitTexts") for name in NAMES)
    yield from unused_texts(kit, shown_in(UI / "kit" / "src").union(*by_apps))
    for name in NAMES:
        folder = UI / name / "messages"
        own = find_error_codes(SOURCES / name)
        for code in own.keys() & kernel.keys():
            own[code] |= kernel[code]
        texts = load_catalog(folder, "en")
        yield from language_problems(folder)
        yield from code_problems(own, {**kit, **texts})
        yield from unused_errors(own, texts)
        yield from unused_texts(texts, shown_in(UI / name / "src"))


if __name__ == "__main__":
    found = list(problems())
    print("\n".join(found) or "texts: every code has its text, in both languages and all in use")
    sys.exit(bool(found))
