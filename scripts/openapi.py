"""Write the OpenAPI document of each service into its UI folder; with `--check` fail if one
differs.
"""

import sys
from pathlib import Path

from quartet.kernel.startup import openapi_of
from quartet.services import NAMES, service

ROOT = Path(__file__).resolve().parent.parent


def main() -> None:
    differing = []
    for name in NAMES:
        path = ROOT / "ui" / name / "openapi.json"
        text = openapi_of(service(name))
        if "--check" not in sys.argv:
            path.write_text(text)
        elif not path.is_file() or path.read_text() != text:
            differing.append(name)
    if differing:
        sys.exit(f"the API of {', '.join(differing)} has changed: run `make openapi`")


if __name__ == "__main__":
    main()
