"""Counts points of a grid inside the quarter circle: the same number in every run.

With a folder as second argument the work waits: each task writes there which executor runs it, and goes
on when there is a file `open`.
"""
import os
import sys
import time
from pathlib import Path
from typing import Iterable, Iterator, Optional

from pyspark.sql import SparkSession

WAIT_SECONDS_MAX = 300  # a task whose test is gone must end, too

size = int(sys.argv[1])
folder = sys.argv[2] if len(sys.argv) > 2 else None
session = SparkSession.builder.appName("pi").getOrCreate()


def wait_open(gate: Path) -> None:
    (gate / f"executor-{os.environ['SPARK_EXECUTOR_ID']}").touch()
    deadline = time.monotonic() + WAIT_SECONDS_MAX
    while not (gate / "open").exists():
        if time.monotonic() > deadline:
            raise TimeoutError(f"nobody opened {gate}")
        time.sleep(0.1)


def inside(rows: Iterable[int], gate: Optional[str] = folder) -> Iterator[int]:
    if gate is not None:
        wait_open(Path(gate))
    for row in rows:
        yield sum(row * row + column * column < size * size for column in range(size))


print(f"inside={session.sparkContext.parallelize(range(size), 16).mapPartitions(inside).sum()}", flush=True)
session.stop()
