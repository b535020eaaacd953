#!/usr/bin/env python3
"""Spark itself: pyspark of one line, in a virtual environment that is made once and kept.

As a program: installs the lines that the tests need, so that no test waits for it, and says what they run with.
On failure the last line says why.
"""
import argparse
import fcntl
import os
import re
import shutil
import socket
import subprocess
import sys
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
JAVA_MAX = 21  # with newer ones the older lines of Spark end at once: Hadoop asks for a security manager


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


def require_java() -> str:
    """Puts a JDK that every line of Spark runs with first on the path: the one that is on it, else Debian's.

    What it is, in words; raises Unavailable when there is none."""
    on_path = shutil.which("javac")
    places = [str(Path(on_path).resolve().parent)] if on_path else []
    places += map(str, Path("/usr/lib/jvm").glob(f"java-1.{JAVA_MIN}.*/bin"))
    found = {place: _java_version(place) for place in places}
    for place, version in found.items():
        if JAVA_MIN <= version <= JAVA_MAX:
            if not os.environ["PATH"].startswith(f"{place}:"):
                os.environ["PATH"] = f"{place}:{os.environ['PATH']}"
            return f"JDK {version}: {place}"
    raise Unavailable(f"a JDK from {JAVA_MIN} to {JAVA_MAX} is needed; found: "
                      + (", ".join(f"{version} in {place}" for place, version in found.items()) or "none"))


def _java_version(folder: str) -> int:
    """0 where there is no whole JDK."""
    if not all(os.access(f"{folder}/{name}", os.X_OK) for name in ("java", "javac", "jar")):
        return 0
    text = subprocess.run([f"{folder}/javac", "-version"], capture_output=True, text=True)
    found = re.search(r"javac (\d+)", text.stdout + text.stderr)
    return int(found[1]) if found else 0


def _make_environment(folder: Path, version: str) -> None:
    subprocess.run(["/usr/bin/python3", "-m", "venv", str(folder)], check=True, capture_output=True)
    result = subprocess.run([str(folder / "bin/python"), "-m", "pip", "install", "--quiet",
                             "--disable-pip-version-check", f"pyspark=={version}"],
                            capture_output=True, text=True)
    if result.returncode != 0:
        said = result.stderr.strip().splitlines() or [f"exit code {result.returncode}"]
        raise Unavailable(f"pip cannot install pyspark {version}: {said[-1]}")


def require_localhost() -> None:
    """Drivers in Python listen on it by name."""
    try:
        socket.getaddrinfo("localhost", None)
    except socket.gaierror as error:
        raise Unavailable(f"localhost has no address on this machine ({error}): /etc/hosts is to have the line "
                          "\"127.0.0.1 localhost\"") from None


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="only the lines of `make test`")
    arguments = parser.parse_args()
    try:
        require_localhost()
        print(require_java(), flush=True)
        for line in WHOLE_LIFE if arguments.quick else sorted(LINES):
            spark = install(line)
            print(f"pyspark {spark.version}: {spark.environment}", flush=True)
    except Unavailable as reason:
        print(reason)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
