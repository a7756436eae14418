from typing import Annotated, Any

from litestar import get
from litestar.params import FromQuery, QueryParameter

from quartet.kernel.service import Kernel
from quartet.kernel.trends.types import Span, Trends
from quartet.kernel.web import Injected

LONGEST_NAMES = 200
LAST_TIME = 2**40


@get("/api/trends", opt={"admin": True})
async def trends(
    kernel: Injected[Kernel[Any]],
    series: Annotated[str, QueryParameter(max_length=LONGEST_NAMES)],
    span: FromQuery[Span] = "15m",
    after: Annotated[int | None, QueryParameter(ge=0, le=LAST_TIME)] = None,
) -> Trends:
    """Return the values of figures over time, named with commas: `series=cpu,memory`.

    With `after`, only values later than this Unix time, to continue a chart.
    """
    return kernel.trends.read(series.split(","), span, after)


ROUTES = [trends]
