"""Credential plugins and contexts of kubeconfigs, with the whole program."""
import json
import os
import re
import subprocess
import time
from datetime import timedelta
from pathlib import Path
from typing import Any, Optional

import pytest
import yaml

from support.client.api import Api, ApiError
from support.plane.chart import NAMESPACE, RELEASE
from support.kube.cluster import Cluster
from support.plane.fault_proxy import Fault, FaultProxy
from support.process.polling import eventually
from support.plane.real_plane import RealPlane
from support.plane.rig import Rig, binary
from support.kube.spark_application import Size, sized

VERSION = "client.authentication.k8s.io/v1"
REVOKED_SECONDS_MAX = 30  # an API server remembers for ten seconds whom a token names


class Plugin:
    """A shell script that notes its runs, and prints the token of the moment as an ExecCredential."""

    def __init__(self, folder: Path, token: str, expires: Optional[timedelta] = None) -> None:
        self.folder = folder
        self.expires = expires
        self.path = folder / "plugin"
        self.path.write_text(f"#!/bin/sh\necho >>'{folder}/runs'\ntest -e '{folder}/hangs' && sleep 1000\n"
                             f"date=$(date -u -d \"$(cat '{folder}/expires')\" +%Y-%m-%dT%H:%M:%SZ)\n"
                             f"sed \"s/EXPIRES/$date/\" '{folder}/answer'\n")
        self.path.chmod(0o700)
        (folder / "expires").write_text(f"now + {int(expires.total_seconds()) if expires else 0} seconds")
        self.use(token)

    def use(self, token: str) -> None:
        status = {"token": token, **({"expirationTimestamp": "EXPIRES"} if self.expires else {})}
        fresh = self.folder / "answer.new"
        fresh.write_text(json.dumps({"apiVersion": VERSION, "kind": "ExecCredential", "status": status}))
        fresh.rename(self.folder / "answer")

    def hang(self) -> None:
        (self.folder / "hangs").touch()

    def runs(self) -> int:
        path = self.folder / "runs"
        return len(path.read_text()) if path.exists() else 0

    def kubeconfig(self, original: Path, name: str = "plugin.kubeconfig") -> Path:
        """As the original, but for who we are."""
        config = yaml.safe_load(original.read_text())
        for user in config["users"]:
            user["user"] = {"exec": {"apiVersion": VERSION, "command": "./plugin", "interactiveMode": "Never"}}
        path = self.folder / name
        path.write_text(yaml.safe_dump(config))
        return path


def base_kubeconfig(rig: Rig, server: Optional[str] = None) -> Path:
    """The scheduler's own rights, where a rig has rights."""
    return rig.role_kubeconfig(server) if isinstance(rig, RealPlane) and rig.chart else rig.kubeconfig


def proxied(rig: Rig, proxy: FaultProxy) -> Path:
    is_role = isinstance(rig, RealPlane) and rig.chart
    return base_kubeconfig(rig, proxy.url) if is_role else rig.proxied_kubeconfig(proxy)


def token_of(kubeconfig: Path) -> str:
    return yaml.safe_load(kubeconfig.read_text())["users"][0]["user"].get("token") or "anybody"


def gangs(kubeconfig: Path, *arguments: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run([str(binary()), "gangs", "--control", "none", "-o", "json", "--kubeconfig",
                           str(kubeconfig), *arguments], capture_output=True, text=True, timeout=30)


def finish_one(cluster: Cluster) -> None:
    cluster.wait_finished(cluster.submit(sized(Size(executors=2), cluster.default_namespace)))


def test_a_plugin_gives_the_token_of_every_verb_and_is_asked_again_in_time(
        cluster: Cluster, tmp_path: Path) -> None:
    original = base_kubeconfig(cluster.rig)
    plugin = Plugin(tmp_path, token_of(original), expires=timedelta(seconds=4))
    kubeconfig = plugin.kubeconfig(original)
    cluster.add_nodes(1)
    scheduler = cluster.rig.start_scheduler(kubeconfig=kubeconfig)
    finish_one(cluster)
    deadline = time.monotonic() + 20
    while plugin.runs() < 3 and time.monotonic() < deadline:
        finish_one(cluster)  # whoever asks for nothing needs no token
    assert plugin.runs() >= 3
    before = plugin.runs()
    listed = gangs(kubeconfig)
    assert listed.returncode == 0, listed.stderr
    assert json.loads(listed.stdout)["source"] == "api-server"
    assert plugin.runs() > before
    refused = re.search(r"\b401\b", scheduler.output())  # a whole word: names hold digits too
    assert refused is None and "problem=" not in scheduler.output()
    assert scheduler.terminate() == 0, scheduler.output()


def test_a_401_asks_the_plugin_again_and_nothing_fails(cluster: Cluster, tmp_path: Path) -> None:
    rig = cluster.rig
    proxy = rig.start_proxy()
    original = proxied(rig, proxy)
    plugin = Plugin(tmp_path, token_of(original))
    kubeconfig = plugin.kubeconfig(original)
    cluster.add_nodes(1)
    scheduler = rig.start_scheduler(kubeconfig=kubeconfig)
    finish_one(cluster)
    assert plugin.runs() == 1
    refusal = proxy.add(Fault("answer", status=401, body="{}", method="POST", path="/binding$", count=1))
    # The same token once more is no reason to try again: as after any 401, the bind is repeated later.
    finish_one(cluster)
    assert refusal.fired() == 1 and plugin.runs() == 2
    assert scheduler.is_running()


def test_a_plugin_that_hangs_holds_up_neither_scheduling_nor_the_end(cluster: Cluster, tmp_path: Path) -> None:
    rig = cluster.rig
    proxy = rig.start_proxy()
    original = proxied(rig, proxy)
    plugin = Plugin(tmp_path, token_of(original))
    kubeconfig = plugin.kubeconfig(original)
    cluster.add_nodes(1)
    scheduler = rig.start_scheduler(kubeconfig=kubeconfig)
    finish_one(cluster)
    plugin.hang()
    proxy.add(Fault("answer", status=401, body="{}", method="POST", path="/events", count=1))
    finish_one(cluster)
    eventually(lambda: plugin.runs() == 2, 10, "the run that hangs")
    finish_one(cluster)
    began = time.monotonic()
    assert scheduler.terminate() == 0, scheduler.output()
    assert time.monotonic() - began < 12


# The embedded server asks nobody who he is.
@pytest.mark.parametrize("rig_name", ["real"], indirect=True, scope="session")
def test_a_token_that_is_revoked_is_replaced_by_what_the_plugin_says_then(
        cluster: Cluster, tmp_path: Path) -> None:
    plane = cluster.rig
    assert isinstance(plane, RealPlane)
    plane.role_kubeconfig()  # makes the account
    secrets = f"/api/v1/namespaces/{NAMESPACE}/secrets"
    first, second = (bound_token(plane, name) for name in ("plugin-first", "plugin-second"))
    plugin = Plugin(tmp_path, first)
    kubeconfig = plugin.kubeconfig(plane.role_kubeconfig())
    cluster.add_nodes(1)
    scheduler = plane.start_scheduler(kubeconfig=kubeconfig)
    finish_one(cluster)
    assert plugin.runs() == 1
    plugin.use(second)
    plane.api.delete(f"{secrets}/plugin-first")
    eventually(lambda: is_refused(plane, first), REVOKED_SECONDS_MAX, "the first token's end", 0.5)
    finish_one(cluster)
    assert plugin.runs() == 2
    assert gangs(kubeconfig).returncode == 0
    plugin.use(first)
    refused = gangs(kubeconfig)
    assert refused.returncode == 1 and "Unauthorized" in refused.stderr
    assert scheduler.is_running()
    for text in (scheduler.output(), refused.stderr):
        assert first not in text and second not in text
    plane.api.delete(f"{secrets}/plugin-second")


# kubectl sends credentials over TLS only.
@pytest.mark.parametrize("rig_name", ["real"], indirect=True, scope="session")
def test_a_plugin_is_told_what_kubectl_tells_it(
        cluster: Cluster, tmp_path: Path, kubectl_program: Path) -> None:
    original = base_kubeconfig(cluster.rig)
    plugin = Plugin(tmp_path, token_of(original))
    teller = tmp_path / "bin" / "teller"
    teller.parent.mkdir()
    teller.write_text(f"#!/bin/sh\necho \"$0 $*\" >'{tmp_path}/called'\n"
                      f"env | grep -e ^KUBERNETES_EXEC_INFO= -e ^NAME= >'{tmp_path}/told'\n"
                      f"cat >'{tmp_path}/input'\nexec '{plugin.path}'\n")
    teller.chmod(0o700)
    config = yaml.safe_load(plugin.kubeconfig(original).read_text())
    config["users"][0]["user"]["exec"].update(
        command="bin/teller", args=["get-token", "a  b"], env=[{"name": "NAME", "value": "prod"}],
        provideClusterInfo=True, interactiveMode="IfAvailable")
    config["clusters"][0]["cluster"].update({"tls-server-name": "localhost", "extensions": [{
        "name": "client.authentication.k8s.io/exec",
        "extension": {"audience": "12", "count": 12, "half": 0.5, "is": True, "all": ["a", None]}}]})
    path = tmp_path / "told.kubeconfig"
    path.write_text(yaml.safe_dump(config))

    def told(*command: str) -> tuple[str, dict[str, Any], str, str]:
        result = subprocess.run(command, input="words", capture_output=True, text=True, timeout=30,
                                cwd="/", env={**os.environ, "NAME": "ours"})
        assert result.returncode == 0, result.stderr
        variables = dict(line.split("=", 1) for line in (tmp_path / "told").read_text().splitlines())
        return ((tmp_path / "called").read_text(), json.loads(variables["KUBERNETES_EXEC_INFO"]),
                variables["NAME"], (tmp_path / "input").read_text())
    theirs = told(str(kubectl_program), "--kubeconfig", str(path), "get", "pods", "-A")
    assert theirs[2:] == ("prod", "")
    assert told(str(binary()), "gangs", "--control", "none", "--kubeconfig", str(path)) == theirs


def bound_token(plane: RealPlane, secret: str) -> str:
    """A token of the scheduler's account that ends with that secret."""
    made = plane.api.post(f"/api/v1/namespaces/{NAMESPACE}/secrets", {"metadata": {"name": secret}})
    answer: dict[str, Any] = plane.api.post(
        f"/api/v1/namespaces/{NAMESPACE}/serviceaccounts/{RELEASE}/token", {
            "apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest",
            "spec": {"expirationSeconds": 3600, "boundObjectRef": {
                "kind": "Secret", "apiVersion": "v1", "name": secret, "uid": made["metadata"]["uid"]}}})
    return answer["status"]["token"]


def is_refused(plane: RealPlane, token: str) -> bool:
    try:
        Api(plane.write_kubeconfig("refused", user={"token": token})).get("/api/v1/pods", limit="1")
    except ApiError as error:
        return error.status == 401
    return False


def test_contexts_choose_the_cluster_and_who_asks(cluster: Cluster, tmp_path: Path) -> None:
    config = yaml.safe_load(cluster.rig.kubeconfig.read_text())
    context = config["contexts"][0]["context"]
    config["clusters"].append({"name": "away", "cluster": {"server": "http://127.0.0.1:1"}})
    config["contexts"] += [{"name": "broken", "context": {**context, "cluster": "away"}},
                           {"name": "here", "context": context}]
    config["current-context"] = "broken"
    path = tmp_path / "kubeconfig"
    path.write_text(yaml.safe_dump(config))
    assert "cannot connect to 127.0.0.1:1" in gangs(path).stderr
    for chosen in (["--context", "here"], ["--cluster", context["cluster"]],
                   ["--context", "broken", "--cluster", context["cluster"], "--user", context["user"]]):
        listed = gangs(path, *chosen)
        assert listed.returncode == 0, listed.stderr
    wrong = gangs(path, "--context", "heer")
    assert wrong.returncode == 2 and 'did you mean "here"?' in wrong.stderr
