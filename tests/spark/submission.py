"""spark-submit in cluster mode, as a user would call it."""
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Mapping, Optional

from installation import HERE, Spark
from process_runtime import JAVA_OPTIONS, master
from support.client.api import Api, Json
from support.process.processes import Process
from support.plane.rig import SCHEDULER_NAME

GRID = 400
INSIDE = sum(row * row + column * column < GRID * GRID for row in range(GRID) for column in range(GRID))
RESULT = f"inside={INSIDE}"


@dataclass(frozen=True)
class Submission:
    """Where and with what an application is submitted."""

    api: Api
    spark: Spark
    namespace: str
    folder: Path
    scheduler_name: str = SCHEDULER_NAME


@dataclass
class Application:
    """A submitted application; its pods are found by the name of the application."""

    name: str
    namespace: str
    submitter: Process

    def driver(self, api: Api) -> Json:
        """The driver pod; AssertionError when spark-submit has not made it."""
        found = api.items(f"/api/v1/namespaces/{self.namespace}/pods",
                          labelSelector=f"spark-role=driver,spark-app-name={self.name}")
        assert len(found) == 1, f"{len(found)} drivers of {self.name}: {self.submitter.output()}"
        return found[0]


def submit_python(where: Submission, name: str, gate: Optional[Path] = None,
                  conf: Optional[Mapping[str, str]] = None) -> Application:
    """With `gate`, a folder, its tasks wait; see applications/pi.py."""
    arguments = [f"local://{HERE}/applications/pi.py", str(GRID)]
    return _submit(where, name, arguments + ([str(gate)] if gate else []), conf or {})


def submit_jvm(where: Submission, name: str, jar: Path) -> Application:
    return _submit(where, name, ["--class", "Pi", f"local://{jar}", str(GRID)], {})


def _submit(where: Submission, name: str, what: list[str], more: Mapping[str, str]) -> Application:
    """Starts spark-submit; it ends once driver, service and ConfigMap exist."""
    url = master(where.api)
    conf = {
        "spark.kubernetes.scheduler.name": where.scheduler_name,
        "spark.kubernetes.namespace": where.namespace,
        "spark.kubernetes.driver.master": url,
        "spark.kubernetes.container.image": "unused",
        "spark.kubernetes.submission.waitAppCompletion": "false",
        "spark.executor.instances": "2",
        "spark.executor.memory": "512m",
        "spark.driver.memory": "512m",
        "spark.ui.enabled": "false",
        **more,
    }
    command = [str(where.spark.submit), "--master", f"k8s://{url}", "--deploy-mode", "cluster",
               "--name", name]
    for key, value in conf.items():
        command += ["--conf", f"{key}={value}"]
    environment = {"PATH": os.environ["PATH"], "HOME": str(where.folder), "LANG": "C.UTF-8",
                   "SPARK_HOME": str(where.spark.home), "KUBECONFIG": str(where.api.kubeconfig),
                   "SPARK_LOCAL_IP": "127.0.0.1",  # else it looks up the machine's own name, which may have no address
                   "JDK_JAVA_OPTIONS": JAVA_OPTIONS}
    submitter = Process(command + what, where.folder / f"submit-{name}.log", environment, where.folder)
    return Application(name, where.namespace, submitter)
