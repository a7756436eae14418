"""Texts of notifications in the chosen language."""

from collections.abc import Mapping
from typing import Any

from quartet.kernel.notifier import Language

TITLES: Mapping[Language, str] = {"en": "Sync", "de": "Synchronisation"}

_TEXTS: dict[str, dict[Language, str]] = {
    "offline": {
        "en": "{device} has been offline for {minutes} minutes.",
        "de": "{device} ist seit {minutes} Minuten offline.",
    },
    "conflict_found": {
        "en": "Conflict in {folder}: {path}",
        "de": "Konflikt in {folder}: {path}",
    },
    "conflict_found_of": {
        "en": "Conflict in {folder}: {path} (copy of {device})",
        "de": "Konflikt in {folder}: {path} (Kopie von {device})",
    },
    "conflicts_found": {
        "en": "{count} conflicts in {folder}",
        "de": "{count} Konflikte in {folder}",
    },
    "deletions_held": {
        "en": "{device} deleted or changed {count} files in {folder}. Its changes are on hold.",
        "de": "{device} hat {count} Dateien in {folder} gelöscht oder geändert. "
        "Das Gerät ist dort angehalten.",
    },
    "device_folder_error": {
        "en": "Error on {device} in {folder}: {reason}",
        "de": "Fehler auf {device} in {folder}: {reason}",
    },
    "device_error": {"en": "Error on {device}: {reason}", "de": "Fehler auf {device}: {reason}"},
    "hub_folder_error": {
        "en": "Error on the hub in {folder}: {reason}",
        "de": "Fehler auf dem Hub in {folder}: {reason}",
    },
    "further_hub_folder_error": {
        "en": "Error on the hub {hub} in {folder}: {reason}",
        "de": "Fehler auf dem Hub {hub} in {folder}: {reason}",
    },
    "further_hub_error": {
        "en": "Error on the hub {hub}: {reason}",
        "de": "Fehler auf dem Hub {hub}: {reason}",
    },
    "hub_error": {"en": "Error on the hub: {reason}", "de": "Fehler auf dem Hub: {reason}"},
}


def line(code: str, inputs: dict[str, Any], language: Language) -> str:
    text = _TEXTS.get(code)
    if text is None:
        return code
    return text[language].format(**inputs)
