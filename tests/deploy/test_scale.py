"""Check the deployment files for several processes, and run the nginx configuration."""

import shutil
import subprocess
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import httpx
import pytest
import yaml

from quartet.kernel.settings import load
from quartet.services import service
from tests.deploy.commands import check_command
from tests.deploy.reference import DEPLOY, PORTS, variable_of, variables
from tests.prerequisites import missing_prerequisite
from tests.real_servers import accepts, free_port, running

# Read by the S3 client, not by the settings.
S3_VARIABLES = {"AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"}
PROXIES = DEPLOY / "proxies"
PICTURE = "/api/map/icon-eu/1794722400/3.png"


def compose() -> dict[str, Any]:
    file = yaml.safe_load((DEPLOY / "compose.scale.yaml").read_text())
    found: dict[str, Any] = file["services"]
    return found


def kustomize() -> list[dict[str, Any]]:
    folder = DEPLOY / "kustomize"
    names = yaml.safe_load((folder / "kustomization.yaml").read_text())["resources"]
    return [part for name in names for part in yaml.safe_load_all((folder / name).read_text())]


def pods() -> dict[str, Any]:
    found = [each for each in kustomize() if each["kind"] in ("Deployment", "StatefulSet")]
    return {each["metadata"]["name"]: each["spec"]["template"]["spec"] for each in found}


def literals(name: str = "wind") -> dict[str, str]:
    """Return every variable set for the pods of a service."""
    found = yaml.safe_load((DEPLOY / "kustomize/kustomization.yaml").read_text())
    generators = [*found["configMapGenerator"], *found["secretGenerator"]]
    lines = [line for each in generators if each["name"] == name for line in each["literals"]]
    return dict(line.split("=", 1) for line in lines)


def test_scale_compose_commands_and_variables_are_valid() -> None:
    for name, role in (("web", "web"), ("worker", None)):
        words = compose()[name]["command"]
        check_command(words)
        assert role is None or role in words
        assert set(compose()[name]["environment"]) <= variables("wind") | S3_VARIABLES
        check_command(compose()[name]["healthcheck"]["test"][2:])


def test_stop_grace_period_exceeds_drain_time() -> None:
    web = compose()["web"]
    drain = float(web["environment"]["WIND_DRAIN_SECONDS"])
    assert drain + 5 < float(web["stop_grace_period"].removesuffix("s"))
    pod = pods()["wind-web"]
    assert float(literals()["WIND_DRAIN_SECONDS"]) + 5 < pod["terminationGracePeriodSeconds"]


@pytest.mark.parametrize("name", ["wind-web", "wind-worker", "sync", "downloads", "media"])
def test_pod_command_variables_and_mounts_are_valid(name: str) -> None:
    (container,) = pods()[name]["containers"]
    check_command(container["args"])
    of_service = name.split("-")[0]
    assert set(literals(of_service)) <= variables(of_service) | S3_VARIABLES
    assert container["ports"][0]["containerPort"] == PORTS[of_service]
    mounted = [each["mountPath"] for each in container["volumeMounts"]]
    shared = ["/media"] if name in ("downloads", "media") else []
    assert mounted == [literals(of_service)[variable_of(of_service, "data")], "/tmp", *shared]


def test_pods_meet_restricted_pod_security() -> None:
    (namespace,) = [each for each in kustomize() if each["kind"] == "Namespace"]
    assert namespace["metadata"]["labels"] == {"pod-security.kubernetes.io/enforce": "restricted"}
    assert pods().keys() == {"wind-web", "wind-worker", "sync", "downloads", "media"}
    for pod in pods().values():
        assert pod["securityContext"]["runAsNonRoot"] is True
        assert pod["securityContext"]["seccompProfile"] == {"type": "RuntimeDefault"}
        kinds = {next(iter(each.keys() - {"name"})) for each in pod["volumes"]}
        assert kinds <= {"emptyDir", "persistentVolumeClaim"}
        for container in pod["containers"]:
            assert container["securityContext"]["allowPrivilegeEscalation"] is False
            assert container["securityContext"]["capabilities"] == {"drop": ["ALL"]}


def test_pod_settings_can_be_loaded() -> None:
    wind = service("wind")
    for role in ("web", "worker"):
        settings = load(wind.settings, wind.prefix, environ=literals(), flags={"role": role})
        assert wind.prepare(settings.values).role == role
    for name in ("sync", "downloads", "media"):
        found = service(name)
        values = found.prepare(load(found.settings, found.prefix, environ=literals(name)).values)
        assert values.host == "0.0.0.0"


def test_pods_of_downloads_and_media_share_a_volume_in_which_a_move_is_a_rename() -> None:
    claims = [each["metadata"]["name"] for each in kustomize() if "Claim" in each["kind"]]
    assert claims == ["files"]
    for name in ("downloads", "media"):
        shared = {"name": "files", "persistentVolumeClaim": {"claimName": "files"}}
        assert shared in pods()[name]["volumes"]
    folders = {literals("downloads")[f"DOWNLOADS_{each}_DIR"] for each in ("DONE", "TMP")}
    assert {Path(each).is_relative_to("/media") for each in folders} == {True}


def test_readiness_probe_uses_ready_endpoint() -> None:
    for name in ("wind-web", "sync", "downloads", "media"):
        (container,) = pods()[name]["containers"]
        assert container["readinessProbe"]["httpGet"]["path"] == "/api/ready"


class Origin(BaseHTTPRequestHandler):
    """Records the requests that reach the origin because nginx had no cached copy."""

    requests: list[str] = []

    def do_GET(self) -> None:
        self.requests.append(self.path)
        if self.path == "/api/spots":
            self.send_error(503)
            return
        immutable = self.path == PICTURE
        cache_control = "public, max-age=31536000, immutable" if immutable else "private, no-store"
        self.send_response(200 if immutable or self.path == "/api/me" else 404)
        self.send_header("cache-control", cache_control)
        self.send_header("content-length", "2")
        self.end_headers()
        self.wfile.write(b"ok")

    def log_message(self, format: str, *args: Any) -> None:
        pass


@pytest.fixture
def nginx(tmp_path: Path) -> Iterator[str]:
    program = shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin")
    if program is None:
        missing_prerequisite("nginx is not installed")
    origin = ThreadingHTTPServer(("127.0.0.1", 0), Origin)
    threading.Thread(target=origin.serve_forever, daemon=True).start()
    port = free_port()
    site = (PROXIES / "wind.nginx.conf").read_text()
    stopped = f"server 127.0.0.1:{free_port()} max_fails=2 fail_timeout=5s;"
    site = site.replace("server web:8450", f"{stopped} server 127.0.0.1:{origin.server_port}")
    site = site.replace("listen 80", f"listen 127.0.0.1:{port}")
    site = site.replace("/var/cache/nginx/wind", str(tmp_path / "cache"))
    temporary = " ".join(
        f"{kind}_temp_path {tmp_path}/{kind};"
        for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    )
    config = tmp_path / "nginx.conf"
    config.write_text(
        f"daemon off; master_process off; pid {tmp_path}/pid; error_log stderr error;"
        f" events {{}} http {{ access_log off; {temporary}\n{site} }}"
    )
    command = [program, "-c", str(config), "-p", str(tmp_path), "-e", "stderr"]
    subprocess.run([*command, "-t"], check=True, capture_output=True)
    Origin.requests.clear()
    with running(command, lambda: accepts(port)):
        yield f"http://127.0.0.1:{port}"
    origin.shutdown()
    origin.server_close()


def test_nginx_caches_map_pictures_only(nginx: str) -> None:
    for path, status in ((PICTURE, 200), ("/api/me", 200), ("/api/map/icon-eu/1/3.png", 404)):
        answers = [httpx.get(nginx + path) for _ in range(3)]
        assert [answer.status_code for answer in answers] == [status] * 3
    assert Origin.requests.count(PICTURE) == 1
    assert (
        Origin.requests.count("/api/me") == Origin.requests.count("/api/map/icon-eu/1/3.png") == 3
    )


def test_nginx_uses_other_process_if_one_is_stopped(nginx: str) -> None:
    assert {httpx.get(f"{nginx}/api/me").status_code for _ in range(6)} == {200}


def test_nginx_keeps_process_that_cannot_answer_some_requests(nginx: str) -> None:
    """While PostgreSQL is down, a process answers some requests with 503, but not forecasts."""
    failed = [httpx.get(f"{nginx}/api/spots").status_code for _ in range(6)]
    assert failed == [503] * 6
    assert httpx.get(f"{nginx}/api/me").status_code == 200
