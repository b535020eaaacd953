"""Counts points of a grid inside the quarter circle: the same number in every run."""
import sys
import time
from typing import Iterable, Iterator

from pyspark.sql import SparkSession

size, hold_seconds, task_seconds = int(sys.argv[1]), float(sys.argv[2]), float(sys.argv[3])
session = SparkSession.builder.appName("pi").getOrCreate()


def inside(rows: Iterable[int]) -> Iterator[int]:
    time.sleep(task_seconds)
    for row in rows:
        yield sum(row * row + column * column < size * size for column in range(size))


total = session.sparkContext.parallelize(range(size), 16).mapPartitions(inside).sum()
time.sleep(hold_seconds)
print(f"inside={total}", flush=True)
session.stop()
