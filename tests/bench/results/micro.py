"""The micro benches: Google Benchmark's JSON as figures `micro.NAME` (ns) and `micro.NAME:COUNTER`."""
import json
import os
import re
import subprocess

from support.client.json_type import Json

from .figures import FOLDER, ROOT, Lane

# What Google Benchmark itself says of a run, rates (they are times again); all else is a counter of the bench's own.
_STANDARD = {"name", "run_name", "run_type", "repetitions", "repetition_index", "threads", "iterations",
             "real_time", "cpu_time", "time_unit", "family_index", "per_family_instance_index", "label",
             "aggregate_name", "aggregate_unit", "error_occurred", "error_message", "items_per_second",
             "bytes_per_second"}
_TO_NS = {"ns": 1.0, "us": 1e3, "ms": 1e6, "s": 1e9}


def natural(name: str) -> list[tuple[int, str]]:
    """Sorts 1000 behind 200."""
    return [(int(part), "") if part.isdigit() else (-1, part) for part in re.split(r"(\d+)", name)]


def micro_lane(runs: int, pattern: str = "", seconds: float = 0.05) -> Lane:
    """`seconds`: that each bench runs at least, in each of its runs. CPU time, not the clock's, but where a bench
    measures itself."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    raw = FOLDER / "gang-bench.json"
    program = os.environ.get("GANG_BENCH_PROGRAMS", str(ROOT / "build/bench")) + "/gang-bench"
    subprocess.run([program, f"--benchmark_repetitions={runs}", f"--benchmark_min_time={seconds}",
                    f"--benchmark_out={raw}", "--benchmark_out_format=json",
                    f"--benchmark_filter={pattern or '.'}", "--benchmark_enable_random_interleaving=true"],
                   check=True, stdout=subprocess.DEVNULL)
    return read_micro(json.loads(raw.read_text()))


def _time(run: Json) -> float:
    """What a bench measures itself is its time: the CPU time beside it is that of its preparations, too."""
    return float(run["real_time" if run["run_name"].endswith("/manual_time") else "cpu_time"])


def read_micro(said: Json) -> Lane:
    """From what Google Benchmark writes."""
    lane = Lane("micro")
    values: dict[tuple[str, str], list[float]] = {}
    for run in said["benchmarks"]:
        if run["run_type"] != "iteration":
            continue
        assert not run.get("error_occurred"), f"{run['name']}: {run['error_message']}"
        name = f"micro.{run['run_name']}"
        values.setdefault((name, "ns"), []).append(_time(run) * _TO_NS[run["time_unit"]])
        for counter in sorted(set(run) - _STANDARD):
            values.setdefault((f"{name}:{counter}", "count"), []).append(run[counter])
    for (name, unit), found in sorted(values.items(), key=lambda entry: natural(entry[0][0])):
        lane.add(name, unit, found)
    return lane
