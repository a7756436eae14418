from typing import Annotated

from litestar import Response, get
from litestar.params import FromPath, QueryParameter

from quartet.kernel.web import PUBLIC, Injected, Request
from quartet.wind.observations.routes import End, Start
from quartet.wind.verification.service import Verifications
from quartet.wind.verification.types import Days, ForecastArchive, Verification

Where = Annotated[
    str | None,
    QueryParameter(name="station", description="Slug of a station; all stations without it."),
]
Period = Annotated[Days, QueryParameter(name="days", description="The last days to look at.")]


@get("/api/verification", **PUBLIC)
async def verification(
    verifications: Injected[Verifications], station: Where = None, days: Period = 30
) -> Verification:
    """How accurate the forecasts of Best and of all models were, as they were issued."""
    return await verifications.of(station, days)


@get("/api/verification.csv", media_type="text/csv", **PUBLIC)
async def verification_csv(
    verifications: Injected[Verifications], station: Where = None, days: Period = 30
) -> Response[str]:
    """The same results as a table."""
    name = f"verification-{station or 'all'}-{days}.csv"
    return Response(
        await verifications.csv(station, days),
        media_type="text/csv",
        headers={"content-disposition": f'attachment; filename="{name}"'},
    )


@get("/api/stations/{slug:str}/forecasts", **PUBLIC)
async def forecast_archive(
    request: Request,
    slug: FromPath[str],
    verifications: Injected[Verifications],
    start: Start = None,
    end: End = None,
) -> ForecastArchive:
    """The forecasts of a station as they were issued in a period, twenty on a page."""
    query = request.query_params
    return await verifications.archive(slug, query.getall("from", []), query.getall("to", []))


ROUTES = [verification, verification_csv, forecast_archive]
