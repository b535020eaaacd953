"""One application of the generator: submitted and driven by real Spark until its executors exist."""
import itertools
import json
import time
import uuid
from dataclasses import dataclass, field
from pathlib import Path
from typing import Optional

from cases import Case
from process_runtime import master
from support.client.api import STRATEGIC_PATCH, Api, Json
from support.kube.kubelet import RunningPod
from volumes import Layout, spark_container
from workbench import HOLD, Workbench, WorkbenchError

EXECUTORS_SECONDS = 25.0
QUIET_SECONDS = 1.2  # several rounds of allocation (cases.py makes them short)
POLL_SECONDS = 0.1
WITH_JVM = "with its JVM"
# Said of what an earlier driver has left behind in the JVM, never of the case itself.
LEFT_BEHIND = ("Only one SparkContext should be running", "Shutdown hooks cannot be modified")

_addresses = itertools.count(2)


@dataclass
class Trial:
    """What Spark made of a case, as the API server shows it."""

    refused: Optional[str] = None  # by spark-submit, in its words: there is no driver then
    died: Optional[str] = None     # the driver, in its words
    driver: Json = field(default_factory=dict)
    config_maps: list[Json] = field(default_factory=list)
    executors: list[Json] = field(default_factory=list)
    sets: list[Json] = field(default_factory=list)    # StatefulSets and Deployments of executors
    claims: list[Json] = field(default_factory=list)  # PersistentVolumeClaims
    log: str = ""

    def save(self, folder: Path) -> None:
        """As the captured applications of tests/fixtures/spark are kept."""
        folder.mkdir(parents=True, exist_ok=True)
        parts = {"driver": self.driver, "configmaps": self.config_maps, "executors": self.executors,
                 "statefulsets": self.sets, "claims": self.claims}
        for name, value in parts.items():
            if value:
                (folder / f"{name}.json").write_text(json.dumps(value, indent=1, sort_keys=True) + "\n")


def make_classes(api: Api) -> None:
    """What the templates name and admission asks for."""
    for name, value in (("high", 1000), ("low", -5)):
        _make(api, "/apis/scheduling.k8s.io/v1/priorityclasses", {"metadata": {"name": name}, "value": value})
    _make(api, "/apis/node.k8s.io/v1/runtimeclasses", {"metadata": {"name": "sandboxed"}, "handler": "runsc"})


def _make(api: Api, path: str, body: Json) -> None:
    if api.find(f"{path}/{body['metadata']['name']}") is None:
        api.post(path, body)


def run(case: Case, bench: Workbench, api: Api, folder: Path) -> Trial:
    """The whole way; nothing of it stays in the cluster. WorkbenchError: try again with a new bench."""
    trial = _run(case, bench, api, folder)
    if any(words in (trial.died or "") for words in LEFT_BEHIND):
        bench.stop()
        raise WorkbenchError(trial.died)
    return trial


def _run(case: Case, bench: Workbench, api: Api, folder: Path) -> Trial:
    namespace = f"case-{uuid.uuid4().hex[:10]}"
    api.post("/api/v1/namespaces", {"metadata": {"name": namespace}})
    trial = Trial()
    start = bench.log.stat().st_size if bench.log.exists() else 0
    try:
        trial.refused = bench.submit(submit_arguments(case, bench, api, namespace, folder))
        if trial.refused is None:
            _drive(case, bench, api, namespace, trial, folder / namespace)
        return trial
    except WorkbenchError as error:
        trial.died = f"{WITH_JVM} ({error})"  # from 4.2 on a driver that fails ends its own
        return trial
    finally:
        with open(bench.log, "rb") as log:
            log.seek(start)
            trial.log = log.read().decode(errors="replace")
        if trial.died is not None and trial.died.startswith(WITH_JVM):
            trial.died += ": " + ([line for line in trial.log.splitlines() if "Exception" in line] or ["?"])[-1]
        _clean_up(api, namespace)


def submit_arguments(case: Case, bench: Workbench, api: Api, namespace: str,
                     folder: Path) -> list[str]:
    url = master(api)
    conf = {
        "spark.kubernetes.namespace": namespace,
        "spark.kubernetes.container.image": "unused",
        "spark.kubernetes.submission.waitAppCompletion": "false",
        "spark.kubernetes.allocation.batch.delay": "200ms",
        "spark.scheduler.minRegisteredResourcesRatio": "0.0",  # or it waits for them to run
        "spark.ui.enabled": "false",
        "spark.kubernetes.driver.master": url,
        **case.conf,
    }
    if case.template is not None:
        template = folder / f"template-{case.seed}.yaml"
        template.write_text(case.template)
        conf["spark.kubernetes.executor.podTemplateFile"] = str(template)
    arguments = ["--master", f"k8s://{url}", "--deploy-mode", "cluster", "--name", case.name]
    for key, value in conf.items():
        arguments += ["--conf", f"{key}={value}"]
    if case.language == "jvm":
        return arguments + ["--class", HOLD, f"local://{bench.jar}"]
    return arguments + [{"python": "local:///opt/spark/application.py",
                         "r": "local:///opt/spark/application.R"}[case.language]]


def _drive(case: Case, bench: Workbench, api: Api, namespace: str, trial: Trial, folder: Path) -> None:
    core = f"/api/v1/namespaces/{namespace}"
    # The items of a list do not say what they are.
    trial.driver = {"apiVersion": "v1", "kind": "Pod",
                    **api.items(f"{core}/pods", labelSelector="spark-role=driver")[0]}
    trial.config_maps = [{"apiVersion": "v1", "kind": "ConfigMap", **each}
                         for each in api.items(f"{core}/configmaps")]
    address = f"127.8.{next(_addresses) // 250 % 250}.{next(_addresses) % 250 + 1}"
    _make_ready(api, trial.driver, address)
    layout = Layout(api, RunningPod(trial.driver, address), folder)
    layout.make()
    names = [f"{address} {service['metadata']['name']}.{namespace}.svc"
             for service in api.items(f"{core}/services")]
    bench.drive(driver_arguments(trial.driver, layout, address), names)
    _wait_for_executors(case, bench, api, namespace, trial)
    bench.release()


def driver_arguments(driver: Json, layout: Layout, address: str) -> list[str]:
    """As the image's entrypoint.sh has it, except that the application is ours whatever it was."""
    arguments = [layout.rewrite(each) for each in spark_container(driver)["args"]]
    properties = arguments[arguments.index("--properties-file") + 1]
    return ["--conf", f"spark.driver.bindAddress={address}",
            "--conf", f"spark.executorEnv.SPARK_DRIVER_POD_IP={address}",
            "--deploy-mode", "client", "--properties-file", properties, "--class", HOLD, "spark-internal"]


def _make_ready(api: Api, driver: Json, address: str) -> None:
    """Spark waits a second for its driver to be ready."""
    path = f"/api/v1/namespaces/{driver['metadata']['namespace']}/pods/{driver['metadata']['name']}"
    api.patch(f"{path}/status", {"status": {
        "phase": "Running", "podIP": address, "podIPs": [{"ip": address}],
        "conditions": [{"type": "Ready", "status": "True"}]}}, STRATEGIC_PATCH)


def _wait_for_executors(case: Case, bench: Workbench, api: Api, namespace: str, trial: Trial) -> None:
    """Until no more of them appear, or the driver has died."""
    end = time.monotonic() + EXECUTORS_SECONDS
    changed, seen = time.monotonic(), -1
    while time.monotonic() < end:
        trial.died = bench.driver_failure()
        _look(api, namespace, trial)
        count = len(trial.executors) + len(trial.sets)
        if count != seen:
            seen, changed = count, time.monotonic()
        is_whole = count >= case.expected
        waited = time.monotonic() - changed
        if trial.died is not None or waited > QUIET_SECONDS * (1 if is_whole else 8):
            return
        time.sleep(POLL_SECONDS)


def _look(api: Api, namespace: str, trial: Trial) -> None:
    core, apps = f"/api/v1/namespaces/{namespace}", f"/apis/apps/v1/namespaces/{namespace}"
    trial.executors = api.items(f"{core}/pods", labelSelector="spark-role=executor")
    trial.sets = api.items(f"{apps}/statefulsets") + _items(api, f"{apps}/deployments")
    trial.claims = api.items(f"{core}/persistentvolumeclaims")


def _items(api: Api, path: str) -> list[Json]:
    found = api.find(path)
    return found["items"] if found else []


def _clean_up(api: Api, namespace: str) -> None:
    core, apps = f"/api/v1/namespaces/{namespace}", f"/apis/apps/v1/namespaces/{namespace}"
    for path in (f"{apps}/statefulsets", f"{core}/pods", f"{core}/configmaps", f"{core}/services",
                 f"{core}/persistentvolumeclaims"):
        for item in _items(api, path):
            api.delete(f"{path}/{item['metadata']['name']}", grace_seconds=0)
    api.delete(f"/api/v1/namespaces/{namespace}")
