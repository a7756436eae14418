"""Fails when a code lacks a text, or the two languages of the UI differ in keys or inputs."""

import sys
from collections.abc import Iterator
from pathlib import Path

from quartet.kernel.texts import (
    catalog,
    code_problems,
    codes_in,
    language_problems,
    unused_errors,
)
from quartet.services import NAMES

ROOT = Path(__file__).resolve().parent.parent
SOURCES = ROOT / "src" / "quartet"
KIT = ROOT / "ui" / "kit" / "messages"
# Made by the UI itself, when no server answers.
OF_THE_KIT = {"offline": set[str](), "unknown": {"code"}}


def problems() -> Iterator[str]:
    kernel = codes_in(SOURCES / "kernel")
    kit = catalog(KIT, "en")
    yield from language_problems(KIT)
    yield from code_problems(kernel, kit)
    yield from unused_errors(kernel | OF_THE_KIT, kit)
    for name in NAMES:
        folder = ROOT / "ui" / name / "messages"
        own = codes_in(SOURCES / name)
        for code in own.keys() & kernel.keys():
            own[code] |= kernel[code]
        texts = catalog(folder, "en")
        yield from language_problems(folder)
        yield from code_problems(own, {**kit, **texts})
        yield from unused_errors(own, texts)


if __name__ == "__main__":
    found = list(problems())
    print("\n".join(found) or "texts: every code has its text in both languages")
    sys.exit(bool(found))
