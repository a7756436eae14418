"""Check the UI texts: every error code has one, every text is used, and the languages match."""

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
# Error codes of the UI itself, for requests that got no usable response.
UI_ERROR_CODES = {"offline": set[str](), "unknown": {"code"}}
# Keys built from one of these prefixes and a value from the server.
SERVER_KEY_PREFIXES = (
    "event",
    "reason",
    "revision",
    "rule",
    "rulefield",
    "rulehelp",
    "ruleoption",
    "token",
)
SOURCE = (".svelte", ".ts")
GENERATED = {"api.d.ts", "paraglide"}


def keys_used_in(folder: Path, module: str = "m") -> set[str]:
    """Return the message keys used by the sources of a UI."""
    files = (path for path in folder.rglob("*") if path.suffix in SOURCE)
    own = (path for path in files if GENERATED.isdisjoint(path.parts))
    return {key for path in own for key in re.findall(rf"\b{module}\.(\w+)", path.read_text())}


def unused_texts(texts: Catalog, used: set[str]) -> Iterator[str]:
    for key in sorted(texts.keys() - used):
        if not key.startswith(PREFIX) and key.split("_")[0] not in SERVER_KEY_PREFIXES:
            yield f"{key}: this text is not used"


def problems() -> Iterator[str]:
    kernel = find_error_codes(SOURCES / "kernel")
    kit = load_catalog(KIT, "en")
    yield from language_problems(KIT)
    yield from code_problems(kernel, kit)
    yield from unused_errors(kernel | UI_ERROR_CODES, kit)
    used_by_apps = (keys_used_in(UI / name / "src", "kitTexts") for name in NAMES)
    yield from unused_texts(kit, keys_used_in(UI / "kit" / "src").union(*used_by_apps))
    for name in NAMES:
        folder = UI / name / "messages"
        own = find_error_codes(SOURCES / name)
        for code in own.keys() & kernel.keys():
            own[code] |= kernel[code]
        texts = load_catalog(folder, "en")
        yield from language_problems(folder)
        yield from code_problems(own, {**kit, **texts})
        yield from unused_errors(own, texts)
        yield from unused_texts(texts, keys_used_in(UI / name / "src"))


if __name__ == "__main__":
    found = list(problems())
    print(
        "\n".join(found)
        or "texts: every error code has a text in both languages, and every text is used"
    )
    sys.exit(bool(found))
