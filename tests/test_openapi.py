"""Whatever the OpenAPI document allows gets an answer the document describes."""

from pathlib import Path
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings
from schemathesis.specs.openapi.checks import positive_data_acceptance

from quartet.kernel.start import start
from quartet.services import NAMES, service

# Nothing outside can be asked here.
OFFLINE: dict[str, dict[str, Any]] = {"media": {"demo": True}}


# Schemathesis itself draws from `random`, which Hypothesis would rather it did not.
@pytest.mark.filterwarnings("ignore::hypothesis.errors.HypothesisDeprecationWarning")
@pytest.mark.parametrize("name", NAMES)
def test_every_answer_is_as_described(name: str, tmp_path: Path) -> None:
    found = service(name)
    started = start(found, found.settings(data=tmp_path, **OFFLINE.get(name, {})))
    schema = schemathesis.openapi.from_asgi("/api/openapi.json", started.app)
    # A stream would never end.
    for operation in schema.exclude(path="/api/events").get_all_operations():

        @given(case=operation.ok().as_strategy())  # type: ignore[union-attr]
        @settings(max_examples=10, suppress_health_check=list(HealthCheck))
        def ask(case: schemathesis.Case[Any]) -> None:
            case.call_and_validate(excluded_checks=[positive_data_acceptance])

        ask()
    started.kernel.db.close()
