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


# What users can do something about. Other reasons are named by their code, as in the log.
_REASONS: dict[str, dict[Language, str]] = {
    "files_failed": {
        "en": "files could not be received",
        "de": "Dateien konnten nicht empfangen werden",
    },
    "folder_stopped": {
        "en": "Syncthing stopped the folder",
        "de": "Syncthing hat den Ordner angehalten",
    },
    "marker_missing": {
        "en": "the folder marker is missing; is a disk not mounted?",
        "de": "die Ordnermarkierung fehlt; ist ein Datenträger nicht eingehängt?",
    },
    "not_writable": {"en": "{path} is not writable", "de": "{path} ist nicht beschreibbar"},
    "path_not_found": {"en": "{path} does not exist", "de": "{path} gibt es nicht"},
    "path_not_folder": {"en": "{path} is not a folder", "de": "{path} ist kein Ordner"},
    "path_not_allowed": {
        "en": "the device does not allow folders in {path}",
        "de": "das Gerät erlaubt keine Ordner in {path}",
    },
    "password_missing": {
        "en": "the password of the encrypted folder is missing",
        "de": "das Passwort des verschlüsselten Ordners fehlt",
    },
    "engine_exited": {
        "en": "Syncthing exited with code {exitCode}",
        "de": "Syncthing wurde mit Code {exitCode} beendet",
    },
    "engine_exited_silently": {
        "en": "Syncthing exited with code {exitCode}",
        "de": "Syncthing wurde mit Code {exitCode} beendet",
    },
}


def _reason_text(code: str, details: dict[str, Any], language: Language) -> str:
    text = _REASONS.get(code)
    try:
        return text[language].format(**details) if text else code
    except KeyError:
        return code


def line(code: str, inputs: dict[str, Any], language: Language) -> str:
    text = _TEXTS.get(code)
    if text is None:
        return code
    if "reason" in inputs:
        reason = _reason_text(inputs["reason"], inputs.get("details", {}), language)
        inputs = {**inputs, "reason": reason}
    return text[language].format(**inputs)
