"""A mail as the standards want it; no text can add a header of its own."""

from email.headerregistry import Address
from email.message import EmailMessage
from email.utils import format_datetime, localtime, make_msgid, parseaddr

from quartet.kernel.errors import AppError
from quartet.wind.mail.address import tidy_email


def message_to(
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
    # No holiday notices, please.
    message["Auto-Submitted"] = "auto-generated"
    if unsubscribe:
        message["List-Unsubscribe"] = f"<{unsubscribe}>"
        message["List-Unsubscribe-Post"] = "List-Unsubscribe=One-Click"
    message.set_content(text)
    return message


def _address(text: str, name: str = "") -> Address:
    """Domains with letters of their own are written as the net of names knows them."""
    local, _, domain = tidy_email(text).rpartition("@")
    try:
        plain = domain if domain.isascii() else domain.encode("idna").decode()
        return Address(name, local, plain)
    except (ValueError, IndexError) as error:
        raise AppError(400, "invalid_email") from error
