import re
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml
from hatchling.builders.sdist import SdistBuilder
from hatchling.metadata.core import ProjectMetadata

sys.path.insert(0, str(Path(__file__).parent.parent))
sys.path.insert(0, str(Path(__file__).parent.parent / "scripts"))
import hatch_build
import sbom

ROOT = Path(__file__).parent.parent
WORKFLOWS = ROOT / ".github/workflows"
RELEASED = "# Changelog\n\n## [1.2.3] - 2026-12-01\n\n- new\n\n## [1.2.2] - 2026-11-01\n"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "pyproject.toml").write_text(
        '[project]\nname = "quartet-suite"\nversion = "1.2.3"\n'
    )
    (tmp_path / "CHANGELOG.md").write_text(RELEASED)
    return tmp_path


def check(*arguments: str) -> tuple[int, str]:
    """Return the exit code and the single line of output."""
    done = subprocess.run(
        [sys.executable, str(ROOT / "scripts/check_version.py"), *arguments],
        capture_output=True,
        text=True,
    )
    lines = (done.stdout + done.stderr).splitlines()
    assert len(lines) == 1
    return done.returncode, lines[0]


def test_check_version_accepts_tag_of_current_version(project: Path) -> None:
    assert check("v1.2.3", str(project)) == (0, "v1.2.3 may be released")


@pytest.mark.parametrize("tag", ["v1.2.4", "v1.3.3", "v2.2.3", "v1.2.30"])
def test_check_version_rejects_tag_of_other_version(project: Path, tag: str) -> None:
    code, line = check(tag, str(project))
    assert code == 1
    assert line == f"not released: the tag says {tag[1:]}, pyproject.toml says 1.2.3"


@pytest.mark.parametrize(
    "tag",
    [
        "1.2.3",
        "v1.2",
        "v1.2.3.4",
        "v1.2.3-rc.1",
        "v1.2.3rc1",
        "v1.2.3+build",
        "v1.2.3-dirty",
        "v01.2.3",
        "V1.2.3",
        "vv1.2.3",
        " v1.2.3",
        "v1.2.3\n",
        "refs/tags/v1.2.3",
        "v1.2.\N{ARABIC-INDIC DIGIT THREE}",
        "",
    ],
)
def test_check_version_rejects_malformed_tag(project: Path, tag: str) -> None:
    code, line = check(tag, str(project))
    assert code == 1
    assert line.endswith("is not of the form vX.Y.Z")


@pytest.mark.parametrize(
    ("changelog", "reason"),
    [
        (RELEASED.replace("1.2.3", "1.2.4"), "the newest section of CHANGELOG.md says 1.2.4"),
        ("## [Unreleased]\n\n" + RELEASED, "the newest section of CHANGELOG.md says Unreleased"),
        (RELEASED.replace("2026-12-01", "unreleased"), "the section 1.2.3 of CHANGELOG.md"),
        ("# Changelog\n", "CHANGELOG.md has no section"),
    ],
)
def test_check_version_requires_matching_changelog_section(
    project: Path, changelog: str, reason: str
) -> None:
    (project / "CHANGELOG.md").write_text(changelog)
    code, line = check("v1.2.3", str(project))
    assert code == 1
    assert reason in line


def test_check_version_prints_usage_without_tag() -> None:
    assert check() == (1, "usage: check_version.py vX.Y.Z [FOLDER]")


def test_changelog_starts_with_project_version() -> None:
    version = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]
    sections = [
        line for line in (ROOT / "CHANGELOG.md").read_text().splitlines() if line.startswith("## ")
    ]
    assert sections[0].startswith(f"## [{version}] - ")


def test_source_distribution_contains_ui_sources() -> None:
    found = {file.distribution_path for file in SdistBuilder(str(ROOT)).recurse_included_files()}
    assert {"hatch_build.py", "package-lock.json", "scripts/ui.mjs", "ui/vite.config.ts"} <= found
    listed = subprocess.run(
        ["git", "ls-files", "ui", "extension", "scripts"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    assert set(listed.stdout.splitlines()) <= found


def test_wheel_lists_licences_that_building_the_ui_writes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "pyproject.toml").write_text((ROOT / "pyproject.toml").read_text())
    (tmp_path / "LICENSE").write_text("MIT")
    notices = tmp_path / "src/quartet/ui/media/licenses.md"
    (tmp_path / "ui").mkdir()
    metadata: ProjectMetadata[Any] = ProjectMetadata(str(tmp_path), None)
    assert metadata.core.license_files == ["LICENSE"]

    def build_ui(_root: Path) -> None:
        notices.parent.mkdir(parents=True)
        notices.write_text("notices")

    monkeypatch.setattr(hatch_build, "build_ui", build_ui)
    monkeypatch.delenv(hatch_build.PREBUILT, raising=False)
    for target in ("sdist", "wheel"):
        hook = hatch_build.CustomBuildHook(str(tmp_path), {}, None, metadata, "", target)
        hook.initialize("standard", {})
        assert notices.exists() == (target == "wheel")
    assert metadata.core.license_files == ["LICENSE", "src/quartet/ui/media/licenses.md"]


def test_built_ui_contains_licences_of_scripts_and_fonts() -> None:
    for app in ("downloads", "sync", "media", "wind"):
        text = (ROOT / "src/quartet/ui" / app / "licenses.md").read_text()
        assert "## svelte " in text and "SIL OPEN FONT LICENSE" in text


def workflow(name: str) -> dict[str, Any]:
    found: dict[str | bool, Any] = yaml.safe_load((WORKFLOWS / name).read_text())
    # YAML parses the bare key `on` as true.
    return {"on" if key is True else str(key): value for key, value in found.items()}


def test_release_workflow_tags_image_with_version_minor_and_latest() -> None:
    release = workflow("release.yml")
    assert release["on"] == {"push": {"tags": ["v*"]}}
    assert release["jobs"]["image"]["with"]["tags"].split() == [
        "type=semver,pattern={{version}}",
        "type=semver,pattern={{major}}.{{minor}}",
        "type=raw,value=latest",
    ]


def test_release_workflow_checks_version_and_runs_tests_first() -> None:
    jobs = workflow("release.yml")["jobs"]
    assert [step["run"] for step in jobs["version"]["steps"] if "run" in step] == [
        'python3 scripts/check_version.py "$TAG"'
    ]
    assert jobs["test"]["needs"] == "version"
    assert jobs["test"]["uses"].endswith("/ci.yml")
    before = ["test", "engine", "pipeline"]
    assert jobs["package"]["needs"] == [*before, "agents"]
    # Servers in the image fetch agents from the release.
    assert jobs["image"]["needs"] == [*before, "agents", "package"]
    assert {"run": "sudo make pipeline"} in jobs["pipeline"]["steps"]
    [tested] = [step for step in jobs["engine"]["steps"] if "pytest" in step.get("run", "")]
    assert tested["env"] == {"QUARTET_TEST_ENGINES": "build/engines"}
    assert {"run": "make test"} in workflow("ci.yml")["jobs"]["test"]["steps"]


def test_release_contains_programs_bill_of_materials_and_attestation() -> None:
    jobs = workflow("release.yml")["jobs"]
    systems = {each.split("-")[0] for each in jobs["agents"]["strategy"]["matrix"]["runner"]}
    assert systems == {"ubuntu", "macos", "windows"}
    commands = [step.get("run", step.get("uses", "")) for step in jobs["package"]["steps"]]
    parts = ("download-artifact", "agent_checksums.py dist", "uv build", "sbom.py", "attest-build")
    order = [
        next(index for index, each in enumerate(commands) if part in each)
        for part in (*parts, "gh release")
    ]
    assert order == sorted(order)
    assert "dist/quartet*" in commands[order[-1]]


def test_bill_of_materials_lists_packages_of_lock_files() -> None:
    listed = sbom.document()["components"]
    urls = {each["purl"] for each in listed}
    lines = (ROOT / "requirements.lock").read_text().splitlines()
    pinned = [line.split()[0] for line in lines if "==" in line and not line.startswith(" ")]
    assert len(pinned) > 100
    without_extras = [re.sub(r"\[.*\]", "", each) for each in pinned]
    assert {f"pkg:pypi/{each.replace('==', '@')}" for each in without_extras} <= urls
    assert any(url.startswith("pkg:npm/svelte@") for url in urls)
    assert not any(url.startswith("pkg:npm/eslint@") for url in urls)
    assert all(each["hashes"] for each in listed)


def test_edge_workflow_publishes_main_on_manual_dispatch() -> None:
    edge = workflow("edge.yml")
    assert edge["on"] == {"workflow_dispatch": None}
    assert edge["jobs"]["test"]["if"] == "github.ref == 'refs/heads/main'"
    assert edge["jobs"]["image"]["with"]["tags"] == "type=raw,value=edge"


def test_image_workflow_builds_both_architectures_with_provenance_and_signs_them() -> None:
    steps = workflow("image.yml")["jobs"]["publish"]["steps"]
    build = next(step["with"] for step in steps if "build-push" in step.get("uses", ""))
    assert build["platforms"] == "linux/amd64,linux/arm64"
    assert build["file"] == "deploy/Dockerfile"
    assert build["sbom"] is True
    assert build["provenance"] == "mode=max"
    image = next(step["with"] for step in steps if "metadata" in step.get("uses", ""))
    assert image["flavor"] == "latest=false"
    [built] = [step["id"] for step in steps if "build-push" in step.get("uses", "")]
    assert steps[-1] == {
        "run": 'cosign sign --yes "ghcr.io/$REPOSITORY@$DIGEST"',
        "env": {
            "REPOSITORY": "${{ github.repository }}",
            "DIGEST": f"${{{{ steps.{built}.outputs.digest }}}}",
        },
    }


@pytest.mark.parametrize("path", sorted(WORKFLOWS.glob("*.yml")), ids=lambda path: path.name)
def test_workflow_has_minimal_permissions_and_no_interpolated_commands(path: Path) -> None:
    found = workflow(path.name)
    assert found["permissions"] == {}
    for job in found["jobs"].values():
        granted = {name for name, level in job["permissions"].items() if level == "write"}
        # Only a release publishes, after all tests.
        release = {"contents", "id-token", "attestations"}
        publishing = release if job.get("environment") == "pypi" else set()
        # A job that publishes the image also signs it.
        signing = {"id-token"} if "packages" in granted else set()
        assert granted <= {"issues", "packages"} | publishing | signing
        for step in job.get("steps", []):
            assert "${{" not in step.get("run", "")
            assert "secrets." not in str(step)
