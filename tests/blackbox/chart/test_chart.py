"""The Helm chart, judged by a real helm and a real API server."""
import base64
import copy
import importlib.util
import json
import subprocess
from pathlib import Path
from typing import Iterator

import pytest
import yaml

from support.client.api import ApiError, Json
from support.plane.chart import CHART, RELEASE, Helm, find
from support.plane.rig import Rig, binary

MANIFESTS = CHART.parent / "manifests"
VALUES = [None, *sorted(path.name for path in (CHART / "ci").iterdir())]
FOREIGN = "monitoring.coreos.com"  # kinds that exist only where the Prometheus operator is installed
real = pytest.mark.parametrize("rig_name", ["real"], indirect=True, scope="session")


@pytest.fixture(scope="session")
def offline(helm: Path, tmp_path_factory: pytest.TempPathFactory) -> Helm:
    return Helm(helm, tmp_path_factory.mktemp("helm"))


@pytest.fixture
def online(helm: Path, tmp_path: Path, rig: Rig) -> Helm:
    return Helm(helm, tmp_path, rig.kubeconfig)


@pytest.fixture
def namespaces(rig: Rig) -> Iterator[list[str]]:
    """Of the release (as strict as can be), and of Spark."""
    names = ["chart-test", "etl", "adhoc", "monitoring"]
    for name in names:
        if rig.api.find(f"/api/v1/namespaces/{name}") is None:
            rig.api.post("/api/v1/namespaces", {"metadata": {"name": name}})
    rig.api.patch(f"/api/v1/namespaces/{names[0]}", {"metadata": {"labels": {
        "pod-security.kubernetes.io/enforce": "restricted",
        "pod-security.kubernetes.io/enforce-version": "latest"}}})
    yield names


def arguments_of(values: str) -> list[str]:
    return ["--values", str(CHART / "ci" / values)] if values else []


@pytest.mark.parametrize("values", VALUES)
def test_helm_lint(offline: Helm, values: str) -> None:
    """It has nothing to say, and no advice either."""
    said = offline.run("lint", "--strict", str(CHART), *arguments_of(values))
    assert "0 chart(s) failed" in said
    assert not [line for line in said.splitlines() if line.startswith("[")], said


def test_the_icon_is_the_page_s() -> None:
    icon = yaml.safe_load((CHART / "Chart.yaml").read_text())["icon"]
    head, _, data = icon.partition(",")
    assert head == "data:image/svg+xml;base64"
    assert base64.b64decode(data) == (CHART.parents[1] / "gang/app/page/icon.svg").read_bytes()


@pytest.mark.parametrize("values", VALUES)
def test_the_program_takes_the_rendered_configuration(offline: Helm, values: str, tmp_path: Path) -> None:
    path = tmp_path / "config.yaml"
    path.write_text(find(offline.template(*arguments_of(values)), "ConfigMap")["data"]["config.yaml"])
    result = subprocess.run([str(binary()), "check-config", str(path)], capture_output=True, text=True, timeout=10)
    assert result.returncode == 0, result.stdout + result.stderr


def test_the_plain_manifests_are_what_the_chart_makes(helm: Path) -> None:
    """After a change of the chart: scripts/manifests.py HELM."""
    spec = importlib.util.spec_from_file_location("manifests", CHART.parents[1] / "scripts/manifests.py")
    assert spec is not None and spec.loader is not None
    script = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(script)
    for name, text in script.manifests(str(helm)).items():
        assert (MANIFESTS / name).read_text() == text, f"charts/manifests/{name} is of an older chart"


@real
@pytest.mark.parametrize("name", ["as-deployment.yaml", "as-static-pod.yaml"])
def test_the_api_server_takes_the_plain_manifests(rig: Rig, kubectl_program: Path, name: str) -> None:
    result = subprocess.run(
        [str(kubectl_program), "--kubeconfig", str(rig.kubeconfig), "apply", "--dry-run=server",
         "--validate=strict", "-f", str(MANIFESTS / name)], capture_output=True, text=True, timeout=30)
    assert result.returncode == 0, result.stderr
    assert result.stdout.count("(server dry run)") == (MANIFESTS / name).read_text().count("\nkind: ")


@real
@pytest.mark.parametrize("values", VALUES)
def test_the_api_server_takes_every_object(rig: Rig, offline: Helm, kubectl_program: Path,
                                            namespaces: list[str], values: str) -> None:
    objects = offline.template("--namespace", namespaces[0], *arguments_of(values))
    known = [item for item in objects if not item["apiVersion"].startswith(FOREIGN)]
    assert len(known) >= 5
    result = subprocess.run(
        [str(kubectl_program), "--kubeconfig", str(rig.kubeconfig), "apply", "--dry-run=server",
         "--validate=strict", "-f", "-"], input=yaml.safe_dump_all(known),
        capture_output=True, text=True, timeout=30)
    assert result.returncode == 0, result.stderr
    assert result.stdout.count("(server dry run)") == len(known), result.stdout


@real
@pytest.mark.parametrize("values", VALUES)
def test_the_pod_is_restricted(rig: Rig, offline: Helm, namespaces: list[str], values: str) -> None:
    """The API server refuses any pod in this namespace that the profile does not allow."""
    template = find(offline.template(*arguments_of(values)), "Deployment")["spec"]["template"]
    pod = {**template, "apiVersion": "v1", "kind": "Pod",
           "metadata": {**template["metadata"], "name": "from-template"}}
    pods = f"/api/v1/namespaces/{namespaces[0]}/pods"
    rig.api.post(pods, pod, dryRun="All")
    for break_it in (lambda spec: spec["securityContext"].pop("seccompProfile"),
                     lambda spec: spec["containers"][0]["securityContext"].pop("capabilities"),
                     lambda spec: spec["securityContext"].pop("runAsNonRoot")):
        broken = copy.deepcopy(pod)
        break_it(broken["spec"])
        with pytest.raises(ApiError) as caught:
            rig.api.post(pods, broken, dryRun="All")
        assert caught.value.status == 403 and "PodSecurity" in str(caught.value)


def test_the_pod_beyond_its_profile(offline: Helm) -> None:
    pod = find(offline.template(), "Deployment")["spec"]["template"]["spec"]
    container = pod["containers"][0]
    assert container["securityContext"]["readOnlyRootFilesystem"] is True
    assert pod["automountServiceAccountToken"] is False
    assert list(container["resources"]["limits"]) == ["memory"]
    token = find_volume(pod, "token")["projected"]["sources"][0]["serviceAccountToken"]
    assert token["expirationSeconds"] == 3600
    for name in ("livenessProbe", "readinessProbe"):
        assert container[name]["httpGet"]["port"] == "metrics"


def test_a_changed_configuration_restarts_the_pods(offline: Helm) -> None:
    def checksum(*arguments: str) -> str:
        deployment = find(offline.template(*arguments), "Deployment")
        return deployment["spec"]["template"]["metadata"]["annotations"]["checksum/config"]
    assert checksum() == checksum("--set", "replicas=3") != checksum("--set", "config.events.perSecond=1")
    # What a running process takes over restarts nobody.
    for live in ("queues[0].name=etl", "nodes.costLabel=price", "gang.maxGangSize=7", "gang.neverRunning.after=1m",
                 "logging.level=debug"):
        assert checksum("--set", f"config.{live}") == checksum(), live
    for fixed in ("gang.discovery=none", "logging.format=json", "profiles[0].schedulerName=a"):
        assert checksum("--set", f"config.{fixed}") != checksum(), fixed
    both = checksum("--set", "config.gang.discovery=none", "--set", "config.gang.maxGangSize=7")
    assert both == checksum("--set", "config.gang.discovery=none")


def test_both_monitors_name_one_job(offline: Helm) -> None:
    """The Prometheus operator gives a ServiceMonitor's series the name of the Service for a job; the alerts count by it."""
    objects = offline.template(*arguments_of("everything-values.yaml"))
    endpoint, = find(objects, "PodMonitor")["spec"]["podMetricsEndpoints"]
    assert endpoint["relabelings"] == [{"targetLabel": "job", "replacement": find(objects, "Service")["metadata"]["name"]}]
    assert "jobLabel" not in find(objects, "ServiceMonitor")["spec"]


def test_config_maps_are_readable_where_spark_runs_only(offline: Helm) -> None:
    def can_read(item: Json) -> bool:
        return any("configmaps" in rule["resources"] for rule in item.get("rules", []))
    everywhere = [item for item in offline.template() if can_read(item)]
    assert [item["kind"] for item in everywhere] == ["ClusterRole"]
    assert not [item for item in offline.template("--set", "config.gang.discovery=annotations") if can_read(item)]
    some = [item for item in offline.template("--set", "spark.namespaces={etl,adhoc}") if can_read(item)]
    assert [(item["kind"], item["metadata"]["namespace"]) for item in some] == [("Role", "etl"), ("Role", "adhoc")]


@pytest.mark.parametrize("setting, said", [
    ("replica=3", "additional properties 'replica' not allowed"),
    ("config.gang.maxGang=5", "'maxGang' not allowed"),
    ("config.gang.maxGangSize=0", "/config/gang/maxGangSize"),
    ("config.leaderElection.leaseDuration=15", "/config/leaderElection/leaseDuration"),
    ("config.profiles[0].name=x", "/config/profiles/0"),
    ("image.pullPolicy=Sometimes", "/image/pullPolicy"),
    ("image.digest=latest", "/image/digest"),
    ("spark.namespaces=etl", "/spark/namespaces"),
    ("config.leaderElection.enabled=false", "replicas must be 1"),
    ("config.server.listen=none", "need a port"),
    ("config.api.enabled=maybe", "/config/api/enabled"),
    ("config.api.enabled=true,config.api.listen=none", "ADDRESS:PORT or :PORT is needed"),
    ("config.api.enabled=true,config.api.listen=:10352", "both have port 10352"),
    ("serviceAccount.create=false", "serviceAccount.name is needed"),
])
def test_bad_values_are_refused(offline: Helm, setting: str, said: str) -> None:
    assert said in offline.run("template", RELEASE, str(CHART), "--kube-version", "1.37",
                               "--set", setting, fails=True)


@real
def test_install_upgrade_roll_back_uninstall(rig: Rig, online: Helm, namespaces: list[str]) -> None:
    space = ["--namespace", namespaces[0]]
    notes = online.run("install", "chart-test", str(CHART), *space)
    for command in ("rollout status", "spark.kubernetes.scheduler.name=gang-scheduler", "gang-scheduler why"):
        assert command in notes

    def size() -> str:
        path = f"/api/v1/namespaces/{namespaces[0]}/configmaps/chart-test-gang-scheduler"
        return rig.api.get(path)["data"]["config.yaml"]
    before = size()
    online.run("upgrade", "chart-test", str(CHART), *space, "--reuse-values", "--set", "config.gang.maxGangSize=7")
    assert "maxGangSize: 7" in size()
    online.run("rollback", "chart-test", "1", *space)
    assert size() == before
    history = json.loads(online.run("history", "chart-test", *space, "-o", "json"))
    assert [revision["status"] for revision in history] == ["superseded", "superseded", "deployed"]
    manifest = list(yaml.safe_load_all(online.run("get", "manifest", "chart-test", *space)))
    paths = [path_of(rig, item, namespaces[0]) for item in manifest]
    assert len(paths) >= 10 and all(rig.api.find(path) for path in paths)
    online.run("uninstall", "chart-test", *space)
    kept = [path for path in paths if rig.api.find(path)]
    assert [path.rsplit("/", 1)[1] for path in kept] == ["chart-test-gang-scheduler-seal"]
    rig.api.delete(kept[0])


@real
def test_the_key_of_the_seal_is_made_once(rig: Rig, online: Helm, namespaces: list[str]) -> None:
    """An upgrade keeps it, and so does an end of the release: gangs that run are sealed with it."""
    space = ["--namespace", namespaces[0]]
    path = f"/api/v1/namespaces/{namespaces[0]}/secrets/chart-seal-gang-scheduler-seal"
    try:
        online.run("install", "chart-seal", str(CHART), *space)
        key = rig.api.get(path)["data"]["key"]
        assert len(base64.b64decode(key)) == 64
        online.run("upgrade", "chart-seal", str(CHART), *space, "--set", "replicas=1")
        assert rig.api.get(path)["data"]["key"] == key
        online.run("uninstall", "chart-seal", *space)
        assert rig.api.get(path)["data"]["key"] == key
        online.run("install", "chart-seal", str(CHART), *space)
        assert rig.api.get(path)["data"]["key"] == key
        online.run("uninstall", "chart-seal", *space)
    finally:
        rig.api.delete(path)


def test_the_key_of_the_seal_is_the_users(offline: Helm) -> None:
    objects = offline.template("--set", "seal.existingSecret=mine")
    assert not [item for item in objects if item["kind"] == "Secret"]
    pod = find(objects, "Deployment")["spec"]["template"]["spec"]
    assert find_volume(pod, "seal")["secret"]["secretName"] == "mine"
    unsealed = offline.template("--set", "seal.enabled=false")
    assert not [item for item in unsealed if item["kind"] == "Secret"]
    assert "keyFile" not in find(unsealed, "ConfigMap")["data"]["config.yaml"]


def test_every_release_has_a_lease_of_its_own(offline: Helm) -> None:
    def lease_of(*values: str, name: str = "gang-scheduler") -> tuple[str, str]:
        """As the program reads it, and as the Role grants it."""
        objects = offline.template("--set", f"fullnameOverride={name}", *values)
        config = yaml.safe_load(find(objects, "ConfigMap")["data"]["config.yaml"])
        role = next(item for item in objects if item["kind"] == "Role" and item["metadata"]["name"].endswith("-lease"))
        granted = next(rule for rule in role["rules"] if "resourceNames" in rule)
        return config.get("leaderElection", {}).get("leaseName", "gang-scheduler"), granted["resourceNames"][0]
    assert lease_of() == ("gang-scheduler", "gang-scheduler")
    assert lease_of(name="night") == ("night", "night")
    assert lease_of("--set", "config.leaderElection.leaseName=mine", name="night") == ("mine", "mine")
    assert lease_of("--set", "config.leaderElection.retryPeriod=1s", name="night") == ("night", "night")


def test_the_page_has_its_port_only_where_it_is_on(offline: Helm) -> None:
    def ports(objects: list[Json]) -> tuple[list[str], list[str]]:
        container = find(objects, "Deployment")["spec"]["template"]["spec"]["containers"][0]
        return ([port["name"] for port in find(objects, "Service")["spec"]["ports"]],
                [port["name"] for port in container["ports"]])

    def viewers(objects: list[Json]) -> list[Json]:
        return [item for item in objects if item["kind"] == "Role" and item["metadata"]["name"].endswith("-viewer")]
    off = offline.template()
    assert ports(off) == (["metrics"], ["metrics"]) and not viewers(off)
    assert "api" not in yaml.safe_load(find(off, "ConfigMap")["data"]["config.yaml"])
    on = offline.template("--set", "config.api.enabled=true,config.api.hosts={gangs.example.com},networkPolicy.enabled=true")
    assert ports(on) == (["metrics", "api"], ["metrics", "api"])
    assert yaml.safe_load(find(on, "ConfigMap")["data"]["config.yaml"])["api"] == {
        "enabled": True, "listen": ":10353",
        "hosts": ["gang-scheduler", "gang-scheduler.gang-system", "gang-scheduler.gang-system.svc", "gangs.example.com"]}
    assert [rule["ports"][0]["port"] for rule in find(on, "NetworkPolicy")["spec"]["ingress"]] == [10352, 10353]
    # A standby asks the leader, at its pod's address, also where the policy names who else may.
    (container,) = find(on, "Deployment")["spec"]["template"]["spec"]["containers"]
    assert [each["name"] for each in container["env"]] == ["POD_IP"]
    narrow = find(offline.template("--set", "config.api.enabled=true,networkPolicy.enabled=true,"
                                   "networkPolicy.apiFrom[0].ipBlock.cidr=10.0.0.0/8"), "NetworkPolicy")["spec"]
    replicas = {"podSelector": {"matchLabels": narrow["podSelector"]["matchLabels"]}}
    assert narrow["ingress"][1]["from"] == [{"ipBlock": {"cidr": "10.0.0.0/8"}}, replicas]
    assert {"ports": [{"port": 10353, "protocol": "TCP"}], "to": [replicas]} in narrow["egress"]
    assert viewers(on)[0]["rules"] == [{"apiGroups": [""], "resources": ["services/proxy"], "verbs": ["get"],
                                        "resourceNames": ["http:gang-scheduler:api", "gang-scheduler:api"]}]
    assert not [item for item in on if item["kind"] == "RoleBinding" and "viewer" in item["roleRef"]["name"]]
    # Who is asked about whom: only where names are hidden.
    def reviews(*values: str) -> list[str]:
        rules = find(offline.template("--set", "config.api.enabled=true", *values), "ClusterRole")["rules"]
        return [rule["resources"][0] for rule in rules if rule["apiGroups"][0].startswith("auth")]
    assert not reviews()
    assert reviews("--set", "config.api.showAllNamespaces=false") == ["tokenreviews", "subjectaccessreviews"]
    # On loopback only a port-forward reaches it.
    alone = offline.template("--set", "config.api.enabled=true,config.api.listen=127.0.0.1:10353")
    assert ports(alone) == (["metrics"], ["metrics"]) and not viewers(alone)


def test_view_gets_the_page_only_where_it_is_wished(offline: Helm) -> None:
    def aggregated(*values: str) -> list[Json]:
        objects = offline.template("--set", "viewer.aggregateToView=true", *values)
        return [item for item in objects if "rbac.authorization.k8s.io/aggregate-to-view" in item["metadata"]["labels"]]
    on = ("--set", "config.api.enabled=true")
    role, = aggregated(*on)
    assert role["kind"] == "ClusterRole" and role["metadata"]["name"] == "gang-system-gang-scheduler-viewer"
    assert role["rules"] == find(offline.template(*on), "Role", "gang-scheduler-viewer")["rules"]
    for without in ((), (*on, "--set", "config.api.listen=127.0.0.1:10353"), (*on, "--set", "service.enabled=false"),
                    (*on, "--set", "rbac.create=false"), (*on, "--set", "viewer.aggregateToView=false")):
        assert not aggregated(*without), without


@pytest.mark.parametrize("preemption, is_granted", [
    ("{}", False), ("{withinQueue: never}", False), ("{withinQueue: lowerPriority}", True), ("{reclaimable: true}", True)])
def test_evictions_are_granted_where_a_queue_allows_them(offline: Helm, tmp_path: Path, preemption: str,
                                                         is_granted: bool) -> None:
    values = tmp_path / "values.yaml"
    values.write_text(f"config: {{queues: [{{name: etl}}, {{name: ml, preemption: {preemption}}}]}}")
    role = find(offline.template("--values", str(values)), "ClusterRole")
    granted = [rule["verbs"] for rule in role["rules"] if "pods/eviction" in rule["resources"]]
    assert granted == ([["create"]] if is_granted else [])


@pytest.mark.parametrize("enabled, reclaim, is_granted", [(True, True, True), (True, False, False), (False, True, False)])
def test_evictions_are_granted_where_queue_objects_allow_them(offline: Helm, enabled: bool, reclaim: bool,
                                                              is_granted: bool) -> None:
    said = f"config.queueObjects.enabled={str(enabled).lower()},config.queueObjects.reclaim={str(reclaim).lower()}"
    role = find(offline.template("--set", said), "ClusterRole")
    assert any("pods/eviction" in rule["resources"] for rule in role["rules"]) == is_granted


@pytest.mark.parametrize("preflight", [True, False])
def test_quotas_are_read_where_they_are_looked_at(offline: Helm, preflight: bool) -> None:
    role = find(offline.template("--set", f"config.quota.preflight={str(preflight).lower()}"), "ClusterRole")
    granted = [rule["verbs"] for rule in role["rules"] if "resourcequotas" in rule["resources"]]
    assert granted == ([["list"]] if preflight else [])


def test_the_readme_has_every_value_and_no_other() -> None:
    values = yaml.safe_load((CHART / "values.yaml").read_text())
    rows = [line.split("`")[1] for line in (CHART / "README.md").read_text().splitlines()
            if line.startswith("| `") and line.count("|") == 4]
    assert sorted(rows) == sorted(leaves(values))


def test_the_schema_knows_every_value_and_is_closed() -> None:
    schema = json.loads((CHART / "values.schema.json").read_text())
    values = yaml.safe_load((CHART / "values.yaml").read_text())
    assert list(schema["properties"]) == [*list(values)[:-1], "global", "config"]
    for path in leaves(values):
        assert_closed(schema, path)


def leaves(values: Json, path: str = "") -> list[str]:
    """Paths of what the README explains: maps with fixed keys are gone into, but for amounts."""
    if path in ("resources.requests", "resources.limits") or not isinstance(values, dict) or not values:
        return [path]
    return [leaf for key, value in values.items() for leaf in leaves(value, f"{path}.{key}".lstrip("."))]


def assert_closed(schema: Json, path: str) -> None:
    for key in path.split("."):
        assert schema["additionalProperties"] is False, path
        schema = schema["properties"][key]


def find_volume(pod: Json, name: str) -> Json:
    return next(volume for volume in pod["volumes"] if volume["name"] == name)


def path_of(rig: Rig, item: Json, namespace: str) -> str:
    """Where the API server keeps the object."""
    version = item["apiVersion"]
    base = f"/api/{version}" if "/" not in version else f"/apis/{version}"
    kind = next(kind for kind in rig.api.get(base)["resources"]
                if kind["kind"] == item["kind"] and "/" not in kind["name"])
    space = f"/namespaces/{item['metadata'].get('namespace', namespace)}" if kind["namespaced"] else ""
    return f"{base}{space}/{kind['name']}/{item['metadata']['name']}"
