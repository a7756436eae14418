import http.client
from contextlib import closing

from quartet.kernel.settings import Settings

SECONDS = 5


def problem(settings: Settings) -> str | None:
    """What is wrong with the service at these settings; None when it answers."""
    host = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(settings.host, settings.host)  # noqa: S104
    name = settings.allowed_hosts[0] if settings.allowed_hosts else host
    try:
        with closing(http.client.HTTPConnection(host, settings.port, timeout=SECONDS)) as line:
            line.request("GET", "/api/health", headers={"host": name})
            status = line.getresponse().status
    except OSError as error:
        return str(error)
    except http.client.HTTPException:
        return f"what answers at port {settings.port} does not speak HTTP"
    return None if status == 200 else f"status {status}"
