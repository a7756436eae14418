"""Sends mails through the configured server."""

import asyncio
import logging
from typing import TYPE_CHECKING

from quartet.kernel.errors import AppError
from quartet.kernel.service import Kernel
from quartet.wind.settings import WindSettings

if TYPE_CHECKING:
    from email.message import EmailMessage

log = logging.getLogger("quartet.wind.mail")

TIMEOUT_SECONDS = 20.0
# SMTP status codes from here on are permanent errors.
_REFUSED = 500


class Mail:
    def __init__(self, kernel: Kernel[WindSettings]) -> None:
        self._settings = kernel.settings

    @property
    def ready(self) -> bool:
        return bool(self._settings.smtp_host and self._settings.mail_from)

    async def send(
        self,
        to: str,
        subject: str,
        text: str,
        *,
        unsubscribe: str | None = None,
        message_id: str | None = None,
    ) -> None:
        """Send a mail and return when the server has accepted it.

        `unsubscribe` is an address for one-click unsubscription.
        """
        if not self.ready:
            raise AppError(409, "mail_not_set_up")
        # Imported here because most installations never send mail.
        from quartet.wind.mail.message import build_message

        message = build_message(
            to, subject, text, self._settings.mail_from or "", unsubscribe, message_id
        )
        await self._submit(message)

    async def _submit(self, message: "EmailMessage") -> None:
        import aiosmtplib

        settings = self._settings
        try:
            await aiosmtplib.send(
                message,
                hostname=settings.smtp_host,
                port=settings.smtp_port,
                username=settings.smtp_user,
                password=settings.smtp_password,
                use_tls=settings.smtp_security == "tls",
                start_tls=settings.smtp_security == "starttls",
                timeout=TIMEOUT_SECONDS,
                # Do not reveal the host name, and avoid a slow DNS lookup for it.
                local_hostname="localhost",
            )
        except (aiosmtplib.SMTPException, OSError, ValueError) as error:
            # The address is not logged, because it is personal data.
            log.warning("sending a mail failed: %s", type(error).__name__)
            raise AppError(502, "mail_failed", status=_status(error)) from error
        finally:
            _reraise_cancellation()


def is_permanent(error: AppError) -> bool:
    """Return whether retrying is pointless, for example because the address is invalid."""
    status = error.inputs.get("status")
    return error.status < _REFUSED or (isinstance(status, int) and status >= _REFUSED)


def _reraise_cancellation() -> None:
    """Re-raise a cancellation that Python 3.11 may lose if the response arrives simultaneously."""
    task = asyncio.current_task()
    if task is not None and task.cancelling():
        raise asyncio.CancelledError


def _status(error: Exception) -> int:
    """Return the status code of the mail server, or 0 without one."""
    import aiosmtplib

    if isinstance(error, aiosmtplib.SMTPRecipientsRefused):
        return error.recipients[0].code if error.recipients else 0
    return error.code if isinstance(error, aiosmtplib.SMTPResponseException) else 0
