"""Texts of notifications to people; webhooks get codes instead."""

from collections.abc import Mapping
from typing import NamedTuple

from quartet.kernel.notifier import Language
from quartet.media.notify.types import WebhookMessage

TITLES: Mapping[Language, str] = {"en": "Media", "de": "Medien"}


class MessageText(NamedTuple):
    title: str
    body: str


_EN = {
    "done": ("Media: {done} done", "{done} done, {failed} failed."),
    "failed": ("Media: job failed", "Job {job} failed."),
    "inbox": ("Media: {waiting} to review", "{waiting} files in the inbox need review."),
    "test": ("Media: test", "This is a test message."),
}
_DE = {
    "done": ("Medien: {done} erledigt", "{done} erledigt, {failed} fehlgeschlagen."),
    "failed": ("Medien: Auftrag fehlgeschlagen", "Auftrag {job} ist fehlgeschlagen."),
    "inbox": (
        "Medien: {waiting} zu prüfen",
        "{waiting} Dateien im Posteingang müssen geprüft werden.",
    ),
    "test": ("Medien: Test", "Dies ist eine Testnachricht."),
}
_MOST_NAMES = 10


def message_text(message: WebhookMessage, language: str) -> MessageText:
    title, body = (_DE if language.startswith("de") else _EN)[message.event]
    values = {
        "done": message.done,
        "failed": message.failed,
        "waiting": message.waiting,
        "job": message.job_id,
    }
    names = [file.target.rpartition("/")[2] for file in message.files[:_MOST_NAMES]]
    return MessageText(title.format(**values), "\n".join([body.format(**values), *names]))
