from litestar import delete, get, post
from litestar.params import FromPath

from quartet.kernel.web import Injected, JSONBody
from quartet.wind.accounts.current_user import ADMIN
from quartet.wind.admin.forecasts import AdminForecasts, AdminRuns, LookNow


@get("/api/admin/forecasts", **ADMIN)
async def admin_forecasts(admin_runs: Injected[AdminRuns]) -> AdminForecasts:
    """The runs of every model, with age, size, the incoming run and the last error."""
    return await admin_runs.everything()


@post("/api/admin/forecasts", status_code=202, **ADMIN)
async def admin_forecasts_look(
    data: JSONBody[LookNow], admin_runs: Injected[AdminRuns]
) -> AdminForecasts:
    """Look for a new run of one model or of all models, even if fetching is postponed."""
    await admin_runs.look(data.model)
    return await admin_runs.everything()


@delete("/api/admin/forecasts/{model:str}/{run:str}", audit="deleted", **ADMIN)
async def admin_forecasts_remove(
    model: FromPath[str], run: FromPath[str], admin_runs: Injected[AdminRuns]
) -> None:
    """Delete a run. If it is the newest available one, it is fetched again."""
    await admin_runs.remove(model, run)


ROUTES = [admin_forecasts, admin_forecasts_look, admin_forecasts_remove]
