"""Spark itself: pyspark of one line, in a virtual environment that is made once and kept."""
import fcntl
import os
import shutil
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Optional

#: The newest release of every line that is supported: what sizing is held against.
LINES = {"3.3": "3.3.4", "3.4": "3.4.4", "3.5": "3.5.9", "4.0": "4.0.5", "4.1": "4.1.4",
         "4.2": "4.2.1", "4.3": "4.3.0"}
WHOLE_LIFE = ("4.1", "3.5", "4.3")  # those that applications are run with to their end
HERE = Path(__file__).resolve().parent
JAVA_MIN = 17


class Unavailable(Exception):
    """This machine cannot have it; the text says what is missing."""


@dataclass(frozen=True)
class Spark:
    """One installed line of Spark."""

    version: str
    environment: Path  # the virtual environment

    @property
    def home(self) -> Path:
        return next(self.environment.glob("lib/python3*/site-packages/pyspark"))

    @property
    def python(self) -> Path:
        return self.environment / "bin/python"

    @property
    def submit(self) -> Path:
        return self.home / "bin/spark-submit"


def install(line: str) -> Spark:
    """The line ("4.1"), from the cache or from the Python registry that pip is set up for."""
    version = LINES[line]
    cache = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "gang-scheduler/spark"
    spark = Spark(version, cache / f"pyspark-{version}")
    if spark.environment.exists():
        return spark
    cache.mkdir(parents=True, exist_ok=True)
    with open(cache / f"{version}.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # two runs at the same time install it once
        if spark.environment.exists():
            return spark
        # Made aside and renamed, so that an interrupted installation is never taken for a whole one.
        temporary = Path(tempfile.mkdtemp(prefix="installing.", dir=cache))
        try:
            _make_environment(temporary, version)
            temporary.chmod(0o755)
            os.rename(temporary, spark.environment)
        finally:
            shutil.rmtree(temporary, ignore_errors=True)
    return spark


def compile_application(spark: Spark, folder: Path) -> Path:
    """A jar with the classes of tests/spark/applications, compiled against Spark's own jars."""
    classes = folder / "classes"
    classes.mkdir(parents=True)
    sources = sorted(map(str, (HERE / "applications").glob("*.java")))
    subprocess.run(["javac", "--release", str(JAVA_MIN), "-proc:none", "-cp", f"{spark.home}/jars/*",
                    "-d", str(classes), *sources], check=True)
    jar = folder / f"applications-{spark.version}.jar"
    subprocess.run(["jar", "--create", "--file", str(jar), "-C", str(classes), "."], check=True)
    return jar


def require_java() -> None:
    """Raises Unavailable unless a JDK of at least 17 is on the path."""
    found: Optional[int] = None
    if shutil.which("javac") and shutil.which("java"):
        text = subprocess.run(["javac", "-version"], capture_output=True, text=True)
        found = int((text.stdout + text.stderr).split()[1].split(".")[0])
    if found is None or found < JAVA_MIN:
        raise Unavailable(f"a JDK {JAVA_MIN} or newer is needed; found: {found or 'none'}")


def _make_environment(folder: Path, version: str) -> None:
    subprocess.run(["/usr/bin/python3", "-m", "venv", str(folder)], check=True, capture_output=True)
    result = subprocess.run([str(folder / "bin/python"), "-m", "pip", "install", "--quiet",
                             "--disable-pip-version-check", f"pyspark=={version}"],
                            capture_output=True, text=True)
    if result.returncode != 0:
        raise Unavailable(f"pip cannot install pyspark {version}: {result.stderr[-1000:].strip()}")
