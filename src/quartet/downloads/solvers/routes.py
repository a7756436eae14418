from litestar import delete, get, patch, post
from litestar.params import FromPath

from quartet.downloads.solvers.service import Solvers
from quartet.downloads.solvers.types import NewSolver, Solver, SolverChange
from quartet.kernel.web import Injected, JSONBody


@get("/api/captcha-services")
async def list_captcha_services(solvers: Injected[Solvers]) -> list[Solver]:
    """List the captcha services with their balance and cost, in the order they are asked."""
    return await solvers.all()


@post("/api/captcha-services", status_code=204)
async def add_captcha_service(data: JSONBody[NewSolver], solvers: Injected[Solvers]) -> None:
    """Add a captcha service and read its balance. 409 `too_many_captcha_services`."""
    await solvers.add(data)


@patch("/api/captcha-services/{solver_id:int}", status_code=204)
async def change_captcha_service(
    solver_id: FromPath[int], data: JSONBody[SolverChange], solvers: Injected[Solvers]
) -> None:
    """Change a captcha service and read its balance."""
    await solvers.change(solver_id, data)


@post("/api/captcha-services/{solver_id:int}/check", status_code=204)
async def check_captcha_service(solver_id: FromPath[int], solvers: Injected[Solvers]) -> None:
    """Read the balance of a captcha service."""
    await solvers.check(solver_id)


@delete("/api/captcha-services/{solver_id:int}", audit="deleted")
async def remove_captcha_service(solver_id: FromPath[int], solvers: Injected[Solvers]) -> None:
    """Remove a captcha service and its key."""
    await solvers.remove(solver_id)


ROUTES = [
    list_captcha_services,
    add_captcha_service,
    change_captcha_service,
    check_captcha_service,
    remove_captcha_service,
]
