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
    """Create a pairing code for a new device, and the command to run there."""
    here = f"{request.base_url}".rstrip("/") + kernel.settings.base_path.rstrip("/")
    return await pairing.enroll(data.name, kernel.settings.public_url or here)


@post("/api/enrollments/status", status_code=200)
async def enrollment_state(
    data: JSONBody[PairingCode], pairing: Injected[Pairing]
) -> EnrollmentState:
    """Return whether a device has used the code."""
    return await pairing.state(data.code)


@post("/api/waiting/{fingerprint:str}/approve", status_code=204)
async def approve(
    request: Request,
    fingerprint: FromPath[str],
    data: JSONBody[Approval],
    pairing: Injected[Pairing],
    servers: Injected[Requests],
) -> None:
    """Accept a waiting agent as a new device."""
    user, where = identity_of(request).subject, pairing.waiting.where(fingerprint)
    await servers.call(where, pairing.approve, user, fingerprint, data)


@post("/api/waiting/{fingerprint:str}/reject", status_code=204)
async def reject(
    fingerprint: FromPath[str], pairing: Injected[Pairing], servers: Injected[Requests]
) -> None:
    """Reject a waiting agent; its key stays rejected until the server restarts."""
    await servers.call(pairing.waiting.where(fingerprint), pairing.reject, fingerprint)


ROUTES = [enroll, enrollment_state, approve, reject]
