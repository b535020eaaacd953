"""One warm JVM of one Spark line that submits applications and runs their drivers, one at a time."""
import os
import shutil
import socket
import subprocess
from pathlib import Path
from typing import Optional, Sequence
from zipfile import ZipFile

from installation import HERE, Spark
from process_runtime import JAVA_OPTIONS
from support.client.api import Api
from support.process.processes import Process

MARK = "@workbench "
HOLD = "Workbench$Hold"
SUBMIT_SECONDS = 90
ANSWER_SECONDS = 90

# What spark-class asks of a Java with modules (JavaModuleOptions); reflection there is Spark's own.
_OPENED = [f"java.base/{name}" for name in (
    "java.lang", "java.lang.invoke", "java.lang.reflect", "java.io", "java.net", "java.nio", "java.util",
    "java.util.concurrent", "java.util.concurrent.atomic", "jdk.internal.ref", "sun.nio.ch", "sun.nio.cs",
    "sun.security.action", "sun.util.calendar")] + ["java.security.jgss/sun.security.krb5"]


class WorkbenchError(Exception):
    """The JVM ended or does not answer."""


def compile_workbench(spark: Spark, folder: Path) -> Path:
    """The folder of its classes, compiled against Spark's own jars."""
    classes = folder / f"workbench-{spark.version}"
    classes.mkdir(parents=True)
    subprocess.run(["javac", "--release", "17", "-proc:none", "-cp", f"{spark.home}/jars/*",
                    "-d", str(classes), str(HERE / "workbench/Workbench.java")], check=True)
    return classes


class Workbench:
    """Everything Spark prints goes to `log`."""

    def __init__(self, api: Api, spark: Spark, folder: Path) -> None:
        self.spark = spark
        self.folder = folder
        self.log = folder / f"workbench-{spark.version}.log"
        self.hosts = folder / "hosts"
        self._name([])
        classes = folder / f"workbench-{spark.version}"
        if not classes.exists():
            compile_workbench(spark, folder)
        # Not in the current folder: there a driver overwrites it by the copy that it makes.
        self.jar = classes / "application.jar"
        ZipFile(self.jar, "w").close()
        opened = [option for name in _OPENED for option in ("--add-opens", f"{name}=ALL-UNNAMED")]
        command = [shutil.which("java") or "java", *JAVA_OPTIONS.split(), "-Xmx700m",
                   f"-Djdk.net.hosts.file={self.hosts}", *opened,
                   "-cp", f"{classes}:{spark.home}/jars/*", "Workbench"]
        environment = {"PATH": os.environ["PATH"], "HOME": str(folder), "LANG": "C.UTF-8",
                       "SPARK_HOME": str(spark.home), "KUBECONFIG": str(api.kubeconfig)}
        self._process = Process(command, self.log, environment, folder, talkative=True)
        self._numbers = 0

    def is_running(self) -> bool:
        return self._process.is_running()

    def submit(self, arguments: Sequence[str]) -> Optional[str]:
        """spark-submit to its end; None, or why it failed."""
        return _failure(self._ask(f"submit {self._file(arguments)}"))

    def drive(self, arguments: Sequence[str], hosts: Sequence[str]) -> None:
        """Starts a driver; `hosts` are the lines that stand for the cluster's DNS."""
        self._name(hosts)
        self._ask(f"drive {self._file(arguments)}")

    def driver_failure(self) -> Optional[str]:
        """Why the driver ended; None while it runs."""
        answer = self._ask("state")
        return None if answer == "running" else _failure(answer) or "it has ended"

    def release(self) -> Optional[str]:
        """Lets the application end; None, or why it did not end well."""
        failure = _failure(self._ask("release"))
        if failure == "running":
            self.stop()  # what it has left behind would meet the next one
        return failure

    def stop(self) -> None:
        self._process.kill()

    def _name(self, hosts: Sequence[str]) -> None:
        """All names that this JVM can look up."""
        lines = [f"127.0.0.1 localhost {socket.gethostname()}", *hosts]
        self.hosts.write_text("\n".join(lines) + "\n")

    def _file(self, arguments: Sequence[str]) -> Path:
        self._numbers += 1
        path = self.folder / f"arguments-{self._numbers % 4}"
        path.write_text("".join(f"{argument}\n" for argument in arguments))
        return path

    def _ask(self, command: str) -> str:
        try:
            return self._process.exchange(command, MARK, ANSWER_SECONDS)
        except (OSError, TimeoutError, EOFError) as error:
            self.stop()
            raise WorkbenchError(f"{command.split()[0]}: {error!r}; see {self.log}") from error


def _failure(answer: str) -> Optional[str]:
    return answer.removeprefix("failed ") if answer.startswith("failed ") else None
