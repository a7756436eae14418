from typing import Any

from litestar import post
from litestar.params import FromPath

from quartet.kernel.service import Kernel
from quartet.kernel.web import Injected, JSONBody, Request, identity_of
from quartet.sync.agents.pairing.service import Pairing
from quartet.sync.agents.pairing.types import (
    Approval,
    Enrollment,
    EnrollmentState,
    NewEnrollment,
    PairingCode,
)
from quartet.sync.cluster.requests import Requests


@post("/api/enrollments", status_code=201)
async def enroll(
    request: Request,
    data: JSONBody[NewEnrollment],
    pairing: Injected[Pairing],
    kernel: Injected[Kernel[Any]],
) -> Enrollment:
    """A one-time code for a new device, and what to type there."""
    here = f"{request.base_url}".rstrip("/") + kernel.settings.base_path.rstrip("/")
    return await pairing.enroll(data.name, kernel.settings.public_url or here)


@post("/api/enrollments/status", status_code=200)
async def enrollment_state(
    data: JSONBody[PairingCode], pairing: Injected[Pairing]
) -> EnrollmentState:
    """Whether a device has used the code yet."""
    return await pairing.state(data.code)


@post("/api/waiting/{fingerprint:str}/approve", status_code=204)
async def approve(
    request: Request,
    fingerprint: FromPath[str],
    data: JSONBody[Approval],
    pairing: Injected[Pairing],
    servers: Injected[Requests],
) -> None:
    """Lets a waiting agent in as a new device."""
    who, where = identity_of(request).subject, pairing.waiting.where(fingerprint)
    await servers.ask(where, pairing.approve, who, fingerprint, data)


@post("/api/waiting/{fingerprint:str}/reject", status_code=204)
async def reject(
    fingerprint: FromPath[str], pairing: Injected[Pairing], servers: Injected[Requests]
) -> None:
    """Turns its key away until the server restarts."""
    await servers.ask(pairing.waiting.where(fingerprint), pairing.reject, fingerprint)


ROUTES = [enroll, enrollment_state, approve, reject]
