"""An S3 server for tests: moto, with conditional writes made atomic as in S3."""

import sys
import threading
from collections.abc import Iterable
from typing import Any

from moto.moto_server.werkzeug_app import (
    DomainDispatcherApplication,
    MotoRequestHandler,
    create_backend_app,
)
from werkzeug.serving import run_simple


class OneAfterTheOther:
    def __init__(self) -> None:
        self._moto = DomainDispatcherApplication(create_backend_app)
        self._lock = threading.Lock()

    def __call__(self, environment: dict[str, Any], begin: Any) -> Iterable[bytes]:
        with self._lock:
            answer: Iterable[bytes] = self._moto(environment, begin)
            return answer


if __name__ == "__main__":
    run_simple(
        "127.0.0.1",
        int(sys.argv[1]),
        OneAfterTheOther(),
        threaded=True,
        request_handler=MotoRequestHandler,
    )
