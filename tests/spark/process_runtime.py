"""Pods as processes: what entrypoint.sh of Spark's image runs, run here, each at its own address."""
import os
import shutil
import socket
from pathlib import Path
from typing import Optional
from urllib.parse import urlsplit

from installation import Spark
from support.client.api import Api
from support.kube.kubelet import RunningPod
from support.kube.pods import label
from support.process.processes import Process
from volumes import Layout, spark_container, wait_for

# One user at a time on two cores: quick starts matter more than fast code.
JAVA_OPTIONS = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC -Xshare:auto"
GRACE_SECONDS = 5.0
KILLED = 137


class ProcessRuntime:
    """A Runtime (see support/kube/kubelet.py) for the drivers and executors of one Spark line."""

    def __init__(self, api: Api, spark: Spark, folder: Path) -> None:
        self._api = api
        self._spark = spark
        self._folder = folder
        self.processes: dict[str, Process] = {}  # by pod name

    def run(self, pod: RunningPod) -> int:
        folder = self._folder / pod.pod["metadata"]["uid"]
        layout = Layout(self._api, pod, folder / "volumes")
        if not layout.make():
            return KILLED
        hosts = self._hosts(pod)
        if hosts is None:
            return KILLED
        (folder / "hosts").write_text(hosts)
        environment = layout.environment() | self._machine(pod, folder)
        arguments = [layout.rewrite(each) for each in spark_container(pod.pod)["args"]]
        command = (self._driver(pod, arguments) if arguments[0] == "driver"
                   else self._executor(environment))
        # The thread that starts it ends with the pod, so it cannot be what the process follows.
        process = Process(command, self.log(pod.name), environment, folder, follow_parent=False)
        self.processes[pod.name] = process
        return self._watch_over(process, pod)

    def log(self, pod_name: str) -> Path:
        return self._folder / f"{pod_name}.log"

    def _watch_over(self, process: Process, pod: RunningPod) -> int:
        while process.is_running():
            if pod.stopped.wait(0.1):
                return process.stop(GRACE_SECONDS)
        code = process.wait()
        process.kill()  # what the program may have left behind in its process group
        return code if code >= 0 else 128 - code

    def _hosts(self, pod: RunningPod) -> Optional[str]:
        """A hosts file with the driver's Service, which is created after the driver pod."""
        application = label(pod.pod, "spark-app-selector")
        services = f"/api/v1/namespaces/{pod.namespace}/services"
        pods = f"/api/v1/namespaces/{pod.namespace}/pods"
        found = wait_for(lambda: self._api.items(
            services, labelSelector=f"spark-app-selector={application}"), pod.stopped)
        if found is None:
            return None
        driver = self._api.items(
            pods, labelSelector=f"spark-app-selector={application},spark-role=driver")[0]
        address = driver["status"].get("podIP", pod.address)
        lines = [f"127.0.0.1 localhost {socket.gethostname()}"]
        lines += [f"{address} {service['metadata']['name']}.{pod.namespace}.svc" for service in found]
        return "\n".join(lines) + "\n"

    def _machine(self, pod: RunningPod, folder: Path) -> dict[str, str]:
        """What Spark's image would bring, and what stands for the cluster's DNS."""
        return {
            "PATH": os.environ["PATH"], "HOME": str(folder), "LANG": "C.UTF-8",
            "SPARK_HOME": str(self._spark.home), "SPARK_LOCAL_IP": pod.address,
            "PYSPARK_PYTHON": str(self._spark.python),
            "PYSPARK_DRIVER_PYTHON": str(self._spark.python),
            "KUBECONFIG": str(self._api.kubeconfig),
            "JDK_JAVA_OPTIONS": f"{JAVA_OPTIONS} -Djdk.net.hosts.file={folder / 'hosts'}",
        }

    def _driver(self, pod: RunningPod, arguments: list[str]) -> list[str]:
        return [str(self._spark.submit),
                "--conf", f"spark.driver.bindAddress={pod.address}",
                "--conf", f"spark.executorEnv.SPARK_DRIVER_POD_IP={pod.address}",
                "--deploy-mode", "client", *arguments[1:]]

    def _executor(self, environment: dict[str, str]) -> list[str]:
        options = [value for name, value in sorted(environment.items())
                   if name.startswith("SPARK_JAVA_OPT_")]
        heap = environment["SPARK_EXECUTOR_MEMORY"]
        class_path = ":".join(filter(None, [
            environment.get("SPARK_CONF_DIR"), environment.get("SPARK_CLASSPATH"),
            f"{self._spark.home}/jars/*"]))
        return [shutil.which("java") or "java", *options, f"-Xms{heap}", f"-Xmx{heap}", "-cp", class_path,
                "org.apache.spark.scheduler.cluster.k8s.KubernetesExecutorBackend",
                "--driver-url", environment["SPARK_DRIVER_URL"],
                "--executor-id", environment["SPARK_EXECUTOR_ID"],
                "--cores", environment["SPARK_EXECUTOR_CORES"],
                "--app-id", environment["SPARK_APPLICATION_ID"],
                "--hostname", environment["SPARK_EXECUTOR_POD_IP"],
                "--resourceProfileId", environment["SPARK_RESOURCE_PROFILE_ID"],
                "--podName", environment["SPARK_EXECUTOR_POD_NAME"]]


def master(api: Api) -> str:
    """The API server's address for Spark, which wants a port."""
    parts = urlsplit(api.server)
    return f"{parts.scheme}://{parts.hostname}:{parts.port}"
