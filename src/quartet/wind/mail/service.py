"""Mails to people, by the mail server of the settings."""

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
# From here on a mail server means it for good.
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
        """Returns when the server has taken it; `unsubscribe` is an address for one click."""
        if not self.ready:
            raise AppError(409, "mail_not_set_up")
        # Here and not above: most installations never send a mail.
        from quartet.wind.mail.message import message_to

        message = message_to(
            to, subject, text, self._settings.mail_from or "", unsubscribe, message_id
        )
        await self._hand_over(message)

    async def _hand_over(self, message: "EmailMessage") -> None:
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
                # The name of this machine is nobody's business, and asking for it may take long.
                local_hostname="localhost",
            )
        except (aiosmtplib.SMTPException, OSError, ValueError) as error:
            # Not the address: logs are for others to read.
            log.warning("a mail could not be sent: %s", type(error).__name__)
            raise AppError(502, "mail_failed", status=_status(error)) from error
        finally:
            _stop_if_asked()


def is_for_good(error: AppError) -> bool:
    """Also an address nobody can write to, which no mail server was asked about."""
    status = error.inputs.get("status")
    return error.status < _REFUSED or (isinstance(status, int) and status >= _REFUSED)


def _stop_if_asked() -> None:
    """Python 3.11 may forget that a task was cancelled when its answer comes that very moment."""
    task = asyncio.current_task()
    if task is not None and task.cancelling():
        raise asyncio.CancelledError


def _status(error: Exception) -> int:
    """What the mail server said, 0 if nothing."""
    import aiosmtplib

    if isinstance(error, aiosmtplib.SMTPRecipientsRefused):
        return error.recipients[0].code if error.recipients else 0
    return error.code if isinstance(error, aiosmtplib.SMTPResponseException) else 0
