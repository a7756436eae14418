"""Builds mails; texts cannot inject headers."""

from email.headerregistry import Address
from email.message import EmailMessage
from email.utils import format_datetime, localtime, make_msgid, parseaddr

from quartet.kernel.errors import AppError
from quartet.wind.mail.address import tidy_email


def build_message(
    to: str,
    subject: str,
    text: str,
    sender: str,
    unsubscribe: str | None = None,
    message_id: str | None = None,
) -> EmailMessage:
    name, address = parseaddr(sender)
    origin = _address(address, name)
    message = EmailMessage()
    message["From"] = origin
    message["To"] = _address(to)
    message["Subject"] = " ".join(subject.split())
    message["Date"] = format_datetime(localtime())
    message["Message-ID"] = message_id or make_msgid(domain=origin.domain)
    # Suppresses out-of-office replies.
    message["Auto-Submitted"] = "auto-generated"
    if unsubscribe:
        message["List-Unsubscribe"] = f"<{unsubscribe}>"
        message["List-Unsubscribe-Post"] = "List-Unsubscribe=One-Click"
    message.set_content(text)
    return message


def _address(text: str, name: str = "") -> Address:
    """Parse an address; international domain names are encoded with IDNA."""
    local, _, domain = tidy_email(text).rpartition("@")
    try:
        plain = domain if domain.isascii() else domain.encode("idna").decode()
        return Address(name, local, plain)
    except (ValueError, IndexError) as error:
        raise AppError(400, "invalid_email") from error
