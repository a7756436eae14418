import http.client
from contextlib import closing

from quartet.kernel.settings import Settings

SECONDS = 5


def problem(settings: Settings) -> str | None:
    """Return what is wrong with the service, or None if it is healthy."""
    host = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(settings.host, settings.host)  # noqa: S104
    name = settings.allowed_hosts[0] if settings.allowed_hosts else host
    try:
        with closing(http.client.HTTPConnection(host, settings.port, timeout=SECONDS)) as line:
            line.request("GET", "/api/health", headers={"host": name})
            status = line.getresponse().status
    except OSError as error:
        return str(error)
    except http.client.HTTPException:
        return f"the server at port {settings.port} does not speak HTTP"
    return None if status == 200 else f"status {status}"
