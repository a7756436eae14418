"""Mails delivered to a real mail server."""

from collections.abc import AsyncIterator

import pytest

from quartet.kernel.errors import AppError
from quartet.wind.accounts.email_texts import TEXTS, email_text
from quartet.wind.mail.message import build_message
from quartet.wind.mail.service import Mail
from quartet.wind.settings import WindSettings
from tests.real_servers import free_port
from tests.wind.mailbox import Mailbox, mailbox
from tests.wind.mailbox import text_of as body_of

pytestmark = pytest.mark.anyio
SENDER = "Wind <wind@example.org>"


class Settings:
    """The parts of the kernel that mails need."""

    def __init__(self, settings: WindSettings) -> None:
        self.settings = settings


def mail_with(**settings: object) -> Mail:
    return Mail(Settings(WindSettings(**settings)))  # type: ignore[arg-type]


@pytest.fixture
async def box() -> AsyncIterator[Mailbox]:
    async with mailbox() as box:
        yield box


async def test_mail_arrives_unchanged(box: Mailbox) -> None:
    mail = mail_with(**box.settings)
    assert mail.ready
    await mail.send(
        "ada@example.org",
        "Wind für Kiel",
        "Böen bis 30 kn\n",
        unsubscribe="https://wind.example.org/stop?t=1",
        message_id="<alarm-1@example.org>",
    )
    message = await box.next()
    assert (message["Subject"], message["To"]) == ("Wind für Kiel", "ada@example.org")
    assert (message["From"], message["X-To"]) == (SENDER, "ada@example.org")
    assert message["Message-ID"] == "<alarm-1@example.org>"
    assert message["List-Unsubscribe"] == "<https://wind.example.org/stop?t=1>"
    assert message["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click"
    assert message["Auto-Submitted"] == "auto-generated"
    assert message["Date"] and body_of(message).strip() == "Böen bis 30 kn"


async def test_nothing_is_sent_without_server() -> None:
    for settings in ({}, {"smtp_host": "127.0.0.1"}, {"mail_from": SENDER}):
        mail = mail_with(**settings)
        assert not mail.ready
        with pytest.raises(AppError) as refused:
            await mail.send("ada@example.org", "Hello", "Hello")
        assert refused.value.code == "mail_not_set_up"


async def test_permanent_and_temporary_refusals_are_distinguished(box: Mailbox) -> None:
    mail = mail_with(**box.settings)
    for answer, status in (("451 later", 451), ("554 never", 554)):
        box.refusals.append(answer)
        with pytest.raises(AppError) as refused:
            await mail.send("ada@example.org", "Hello", "Hello")
        assert (refused.value.code, refused.value.inputs) == ("mail_failed", {"status": status})


async def test_unreachable_server_is_reported_as_error() -> None:
    mail = mail_with(smtp_host="127.0.0.1", smtp_port=free_port(), mail_from=SENDER)
    with pytest.raises(AppError) as refused:
        await mail.send("ada@example.org", "Hello", "Hello")
    assert (refused.value.code, refused.value.inputs) == ("mail_failed", {"status": 0})


async def test_mail_is_not_sent_unencrypted_if_encryption_is_required(box: Mailbox) -> None:
    for security in ("starttls", "tls"):
        mail = mail_with(**{**box.settings, "smtp_security": security})
        with pytest.raises(AppError):
            await mail.send("ada@example.org", "Hello", "Hello")
    assert box.tried == 0


def test_text_cannot_inject_headers() -> None:
    message = build_message("ada@example.org", "Hello\r\nBcc: all@example.org", "text", SENDER)
    assert message["Bcc"] is None
    assert message["Subject"] == "Hello Bcc: all@example.org"
    for to in ("ada@example.org\r\nBcc: x@example.org", "a@example.org, b@example.org", "x", ""):
        with pytest.raises(AppError):
            build_message(to, "Hello", "text", SENDER)


def test_international_domains_are_encoded() -> None:
    message = build_message("ada@bücher.example", "Hello", "text", SENDER)
    assert message["To"] == "ada@xn--bcher-kva.example"


def test_every_mail_has_both_languages_and_its_link() -> None:
    assert {kind for kind, _language in TEXTS} == {"confirm", "known", "reset", "moved"}
    for kind, _ in TEXTS:
        for language in ("de", "en"):
            text = email_text(kind, language, "https://wind.example.org", "https://link")
            assert "https://wind.example.org" in text.body
            assert ("https://link" in text.body) == (kind != "moved")
            assert "{" not in text.subject + text.body
