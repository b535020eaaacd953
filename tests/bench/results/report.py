"""docs/evaluation/performance.md from performance.json beside it: every figure there is written here, none by hand."""
import json
from pathlib import Path
from typing import Callable, Iterable, Mapping, Optional, Sequence

from support.client.json_type import Json

from .check import Threshold, read_thresholds
from .figures import ROOT, Figure, read_figures

DATA = ROOT / "docs/evaluation/performance.json"
PAGE = ROOT / "docs/evaluation/performance.md"
TEMPLATE = Path(__file__).resolve().with_name("performance.template.md")

Figures = Mapping[str, Figure]
NAMES = {"raw": "raw binder", "ours": "gang-scheduler", "ours_as_spark": "gang-scheduler, executors as Spark makes them",
         "kube": "kube-scheduler, pods one by one", "kube_gangs": "kube-scheduler, its own gangs"}
ABSENT = "–"


def render(data: Json) -> str:
    """The whole page."""
    lanes = {lane["lane"]: lane for lane in data["lanes"]}
    figures: dict[str, Figure] = {}
    for lane in lanes.values():
        figures.update(read_figures(lane))
    tables: dict[str, Callable[[], str]] = {
        "machine": lambda: _machine(lanes),
        "bursts": lambda: _bursts(figures),
        "kube": lambda: _kube(figures),
        "streams": lambda: _streams(figures),
        "writes": lambda: _writes(figures),
        "cold": lambda: _cold(figures),
        "idle": lambda: _idle(figures),
        "asked": lambda: _asked(figures),
        "scale": lambda: _scale(figures),
        "bytes": lambda: _bytes(figures),
        "micro": lambda: _micro(figures),
        "goals": lambda: _goals(figures, read_thresholds()),
        "missing": lambda: _missing(lanes)}
    page = []
    for line in TEMPLATE.read_text().splitlines():
        page.append(tables[line[3:]]() if line.startswith("@@ ") else line)
    return "\n".join(page) + "\n"


def number(value: float) -> str:
    """Three digits that mean something."""
    if value == 0:
        return "0"
    if abs(value) >= 1000:
        digits = len(str(int(abs(value)))) - 3
        return f"{int(round(value, -digits)):,}"
    return f"{value:.3g}"


def spread(figure: Optional[Figure]) -> str:
    """median (min–max), or the one value there is."""
    if figure is None:
        return ABSENT
    if len(figure.values) == 1:
        return number(figure.values[0])
    return f"{number(figure.median)} ({number(min(figure.values))}–{number(max(figure.values))})"


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    lines += ["| " + " | ".join(row) + " |" for row in rows if any(cell != ABSENT for cell in row[1:])]
    return "\n".join(lines) if len(lines) > 2 else "Not measured."


def _machine(lanes: Mapping[str, Json]) -> str:
    rows = []
    for name, lane in lanes.items():
        machine = lane["machine"]
        rows.append([name, machine["date"], f"{machine['processor']}, {machine['cores']} cores, "
                     f"{machine['memory_gb']} GB", f"Linux {machine['kernel']}", machine["compiler"],
                     f"{machine['kubernetes']}, {machine['etcd']}", machine["commit"],
                     f"{machine['load_before']} – {machine['load_after']}"])
    return table(["lane", "date", "machine", "kernel", "compiler", "Kubernetes, etcd", "commit",
                  "load average before – after"], rows)


def _bursts(figures: Figures) -> str:
    rows = []
    for where in ("real", "embedded"):
        raw = figures.get(f"burst.{where}.raw.pods_per_s")
        rows.append([f"{where}: raw binder", spread(raw), "1", ABSENT, ABSENT, ABSENT,
                     spread(figures.get(f"burst.{where}.raw.plane_cpu_per_1000"))])
        for workload, label in (("lone", "lone pods"), ("gangs", "gangs of 1 + 10")):
            for short in ("ours", "kube", "kube_gangs"):
                name = f"{workload}.{where}.{short}"
                if f"{name}.of_raw" in figures:
                    ratio, own = figures[f"{name}.of_raw"], figures[f"{name}.pods_per_s"]
                    rows.append([f"{where}: {NAMES[short]}, {label}", spread(own),
                                 f"{spread(ratio)} = {number(own.median)} / {number(raw.median)}",
                                 *(spread(figures.get(f"{name}.{what}")) for what in (
                                     "cpu_per_1000", "peak_rss", "first_bind", "plane_cpu_per_1000"))])
    return table(["plane: who binds what", "pods/s", "of the raw binder", "scheduler's CPU s per 1,000 pods",
                  "peak RSS, MB", "handed over to first bind, s", "plane's CPU s per 1,000 pods"], rows)


def _ratio_rows(figures: Figures, names: Sequence[tuple[str, str]]) -> list[list[str]]:
    rows = []
    for label, name in names:
        ratio = figures.get(name)
        if ratio is not None:
            above, below = figures[ratio.numerator], figures[ratio.denominator]
            rows.append([label, spread(above), spread(below), spread(ratio)])
    return rows


def _kube(figures: Figures) -> str:
    rows = []
    for other in ("kube_gangs", "kube"):
        rows += _ratio_rows(figures, [(f"{label}, against {NAMES[other]}", f"gangs.real.ours.{what}.of_{other}")
                                      for label, what in (("pods/s", "pods_per_s"),
                                                          ("CPU s per 1,000 pods", "cpu_per_1000"),
                                                          ("peak RSS, MB", "peak_rss"))])
    stock = figures.get("gangs.real.kube_stock.pods_per_s")
    rows.append(["pods/s of kube-scheduler with the limits that it comes with (50 a second, one run)", ABSENT,
                 spread(stock), ABSENT])
    return table(["what", "gang-scheduler", "kube-scheduler", "ratio"], rows)


def _streams(figures: Figures) -> str:
    rows = []
    for short in ("ours", "ours_as_spark", "kube_gangs", "kube"):
        name = f"stream.real.{short}"
        rows.append([NAMES[short], *(spread(figures.get(f"{name}.{what}")) for what in (
            "wait_p50", "wait_p99", "whole_p50", "whole_p99", "cpu_per_1000"))])
    return table(["who", "last pod seen to last bound, ms: p50", "p99", "first pod seen to last bound, ms: p50", "p99",
                  "CPU s per 1,000 pods"], rows)


def _writes(figures: Figures) -> str:
    prefixes = [(f"writes.{workload}.{short}.", f"{NAMES[short]}, {label}")
                for workload, label in (("roomy", "room for all"), ("crowded", "half of the gangs wait"))
                for short in ("ours", "kube", "kube_gangs")]
    kinds = sorted({name[len(prefix):] for prefix, _ in prefixes for name in figures
                    if name.startswith(prefix)} - {"all"})
    rows = [[label, spread(figures.get(prefix + "all")), *(spread(figures.get(prefix + kind)) for kind in kinds)]
            for prefix, label in prefixes]
    return table(["who", "all writes", *(kind.replace("_", " ") for kind in kinds)], rows)


def _cold(figures: Figures) -> str:
    rows = []
    for where, size in (("embedded", "5,000 nodes, 150,000 small pods"), ("real", "1,000 nodes, 20,000 pods")):
        for short in ("ours", "kube"):
            name = f"cold.{where}.{short}"
            ratio = figures.get(f"{name}.first_bind.of_list")
            shown = ABSENT if ratio is None else (
                f"{spread(ratio)} = {number(figures[ratio.numerator].median)} / "
                f"{number(figures[ratio.denominator].median)}")
            rows.append([f"{where} plane, {size}: {NAMES[short].split(',')[0]}",
                         *(spread(figures.get(f"{name}.{what}")) for what in ("first_bind", "list")), shown,
                         *(spread(figures.get(f"{name}.{what}")) for what in ("cpu", "peak_rss", "settled_rss"))])
    return table(["where and who", "start to first bind, s", "the same lists read as bytes, s", "ratio", "CPU s",
                  "peak RSS, MB", "RSS afterwards, MB"], rows)


def _idle(figures: Figures) -> str:
    rows = [[label, *(spread(figures.get(f"idle.{name}.{what}")) for what in ("rss", "cpu", "wakeups"))]
            for name, label in (("nodes_only", "5,000 nodes, no pods"), ("full", "5,000 nodes, 150,000 pods"))]
    return table(["embedded plane", "RSS, MB", "CPU, % of a core", "wake-ups a second"], rows)


def _asked(figures: Figures) -> str:
    verbs = {"why": "`why POD`", "gangs": "`gangs -A`", "gangs_json": "`gangs -A -o json`", "nodes": "`nodes`",
             "queues": "`queues`"}
    return table(["through the service proxy", "ms"],
                 [[label, spread(figures.get(f"asked.{name}"))] for name, label in verbs.items()])


def _sizes(figures: Figures) -> list[int]:
    return sorted(int(name.rsplit(".", 1)[1]) for name in figures if name.startswith("scale.heap_mb."))


def _scale(figures: Figures) -> str:
    sizes = _sizes(figures)
    stems = list(dict.fromkeys(name.rsplit(".", 1)[0] for name, figure in figures.items()
                               if name.startswith("scale.") and figure.unit == "ns"))
    rows = []
    for stem in stems:
        cells = []
        for size in sizes:
            figure = figures.get(f"{stem}.{size}")
            cells.append(ABSENT if figure is None else spread(
                Figure("", "us", tuple(value / 1e3 for value in figure.values))))
        growth = figures.get(stem.replace("scale.", "scale.exponent.", 1))
        rows.append([stem.removeprefix("scale.").replace("_", " "), *cells, spread(growth)])
    return table(["µs of CPU time each", *(f"{size:,} nodes" for size in sizes), "exponent"], rows)


def _bytes(figures: Figures) -> str:
    sizes = _sizes(figures)
    things = list(dict.fromkeys(name.rsplit(".", 1)[0] for name in figures if name.startswith("scale.bytes.")))
    rows = [[thing.removeprefix("scale.bytes.").replace("_", " ") + ", bytes",
             *(spread(figures.get(f"{thing}.{size}")) for size in sizes)] for thing in things]
    rows.append(["all of it, MB", *(spread(figures.get(f"scale.heap_mb.{size}")) for size in sizes)])
    return table(["heap", *(f"{size:,} nodes" for size in sizes)], rows)


def _micro(figures: Figures) -> str:
    counters: dict[str, list[str]] = {}
    for name, figure in figures.items():
        if name.startswith("micro.") and figure.unit == "count":
            bench, counter = name.rsplit(":", 1)
            counters.setdefault(bench, []).append(f"{counter} {number(figure.median)}")
    rows = [[name.removeprefix("micro."), spread(figure), ", ".join(counters.get(name, [])) or ABSENT]
            for name, figure in figures.items() if name.startswith("micro.") and figure.unit == "ns"]
    return table(["bench", "ns of CPU time", "counts"], rows)


def _goals(figures: Figures, thresholds: Sequence[Threshold]) -> str:
    rows = []
    for threshold in thresholds:
        value = threshold.value(figures)
        sign = "≤" if threshold.is_upper else "≥"
        goal = threshold.limit if threshold.goal is None else threshold.goal
        verdict = "not measured" if value is None else "yes" if threshold.reaches_goal(value) else "**no**"
        rows.append([threshold.name, ABSENT if value is None else number(value), f"{sign} {number(goal)}", verdict,
                     f"{sign} {number(threshold.limit)}", threshold.reason])
    return table(["figure (median)", "measured", "goal", "reached", "limit of `make bench-check`", "why"], rows)


def _missing(lanes: Mapping[str, Json]) -> str:
    lines = [f"- {name}: {each}" for name, lane in lanes.items() for each in lane["missing"]]
    lines += [f"- {name}: the whole lane" for name in ("micro", "scale", "macro", "asked") if name not in lanes]
    return "\n".join(lines) or "Nothing."


def read_data(path: Path = DATA) -> Json:
    return json.loads(path.read_text())


def as_text(data: Json) -> str:
    """performance.json: a figure a line, so that a change can be read."""
    lanes = []
    for lane in data["lanes"]:
        head = {key: value for key, value in lane.items() if key != "figures"}
        figures = ",\n".join("  " + json.dumps(figure) for figure in lane["figures"])
        lanes.append(json.dumps(head)[:-1] + ', "figures": [\n' + figures + "\n ]}")
    return '{"lanes": [\n ' + ",\n ".join(lanes) + "\n]}\n"
