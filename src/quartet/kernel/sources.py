"""Whether servers on the internet can be reached, for `quartet doctor`."""

import time
from email.utils import parsedate_to_datetime
from typing import Literal
from urllib.parse import urlsplit

from quartet.kernel.diagnosis import CLOCK_SECONDS, DiagnosisLine
from quartet.kernel.errors import AppError
from quartet.kernel.outbound import OutboundClient


async def check_source(
    outbound: OutboundClient, origin: str, *, missing: Literal["warning", "error"] = "error"
) -> DiagnosisLine:
    """Ask a server on the internet; `missing` is the state if it cannot be reached."""
    host = urlsplit(origin).netloc
    try:
        answer = await outbound.request("HEAD", origin)
    except AppError as error:
        return DiagnosisLine("source", missing, f"cannot reach {host}: {error.code}")
    if answer.status >= 500:
        return DiagnosisLine("source", missing, f"{host} answers with status {answer.status}")
    if (offset := _clock_offset(answer.headers.get("Date", ""))) > CLOCK_SECONDS:
        return DiagnosisLine(
            "source", "warning", f"{host}: its clock differs by {offset:.0f} seconds"
        )
    return DiagnosisLine("source", "ok", host)


def _clock_offset(date: str) -> float:
    try:
        return abs(parsedate_to_datetime(date).timestamp() - time.time())
    except ValueError:
        return 0
