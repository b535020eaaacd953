"""Counts points of a grid inside the quarter circle: the same number in every run."""
import sys
import time

from pyspark.sql import SparkSession

size, hold_seconds = int(sys.argv[1]), float(sys.argv[2])
session = SparkSession.builder.appName("pi").getOrCreate()


def inside(row: int) -> int:
    return sum(row * row + column * column < size * size for column in range(size))


total = session.sparkContext.parallelize(range(size), 4).map(inside).sum()
time.sleep(hold_seconds)
print(f"inside={total}", flush=True)
session.stop()
