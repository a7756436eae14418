"""The report of the release pipeline; the pipeline itself runs in the release workflow."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent.parent / "scripts"))
from pipeline import image
from pipeline.__main__ import is_wanted, steps_of_machine
from pipeline.checks.image import interpolated
from pipeline.report import Failed, Outcome, Skipped, exit_code, outcome_of, table


def outcome(state: str) -> Outcome:
    def action() -> str:
        if state == "skipped":
            raise Skipped("not allowed here")
        if state == "failed":
            raise Failed("the service\ndid not start")
        return "fine"

    return outcome_of("debian-13", "a step", action)


@pytest.mark.parametrize(
    ("states", "code"),
    [
        (["ok", "ok"], 0),
        (["ok", "skipped"], 0),
        (["ok", "failed"], 1),
        (["skipped"], 1),
    ],
)
def test_exit_code_of_pipeline(states: list[str], code: int) -> None:
    assert exit_code([outcome(state) for state in states]) == code


def test_steps_are_chosen_by_parts_of_their_names() -> None:
    names = [name for name, _ in steps_of_machine(keep=True)]
    assert [each for each in names if is_wanted(each, [])] == names
    assert [each for each in names if is_wanted(each, ["image"])] == names[-2:]


def test_compose_values_are_those_that_the_user_sets() -> None:
    assert interpolated("${PUID-1000}") == "1234"
    assert interpolated("${TZ-Etc/UTC}") == "Etc/UTC"
    assert interpolated("${APP_TOKEN:?set APP_TOKEN}") == "a-token-for-the-pipeline"


def test_image_bases_are_found_in_dockerfile() -> None:
    text = image.DOCKERFILE.read_text()
    assert {each.split(":")[0] for each in image.BASES.findall(text)} == {"node", "python"}
    assert len(image.ENGINE.findall(text)) == 1


def test_table_shows_reason_of_each_result() -> None:
    lines = table([outcome(state) for state in ("ok", "skipped", "failed")]).splitlines()
    assert lines[1].endswith("fine")
    assert lines[2].endswith("not allowed here")
    assert lines[3].endswith("the service did not start")
    assert ["ok" in lines[1], "skipped" in lines[2], "failed" in lines[3]] == [True] * 3
