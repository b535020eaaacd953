#!/usr/bin/env python3
"""Fails on an include that crosses a border, on rooms that would need each other, and on a coroutine statement that
GCC 12 miscompiles.

A room is a folder. ROOMS says of each which others it may include; no room may need itself by way of others. A
statement with `co_await` may hold no brace, no conditional operator and no lambda: GCC 12 destroys such temporaries
twice (its bug 107288).
"""
import re
import sys
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

CORE = "core/base core/value core/filter core/quota core/cluster core/domain core/score core/placement"
VALUES = "core/base core/value"
# What comes in and goes out of the decision engine, and the views of it: plain values.
DOOR = ("event", "decision", "drift", "explain", "reasons", "counters", "totals", "ledger_view", "queue_view", "what_if")
# What every part of the decision engine may use: it works on the model, and the model on these.
PARTS = f"{CORE} config gang/door gang/declare gang/declare/spark gang/reservation/format gang/durations gang/shares gang/model"
CLIENT = "k8s/protocol/write k8s/base k8s/json k8s/codec k8s/credentials k8s/net k8s/watch k8s/write k8s/volume k8s/group k8s/queue k8s/namespaces k8s/quota k8s/demand k8s/review k8s/metrics k8s/lease k8s/protocol"

# room -> the rooms that it may include. Rooms inside a room that is not named here are part of it.
ROOMS = {
    "core/base": "",
    "core/value": "core/base",
    "core/filter": VALUES,
    "core/quota": VALUES,
    "core/cluster": f"{VALUES} core/filter",
    "core/domain": f"{VALUES} core/filter core/cluster",
    "core/score": f"{VALUES} core/filter",
    "core/placement": f"{VALUES} core/filter core/cluster core/domain core/score",
    "config": f"{VALUES} core/filter core/placement core/score",

    "gang/declare/spark": f"{VALUES} config",
    "gang/door": f"{VALUES} config gang/declare/spark",
    "gang/reservation/format": VALUES,
    "gang/declare": f"{VALUES} core/placement config gang/declare/spark gang/durations gang/reservation/format",
    "gang/durations": VALUES,
    "gang/shares": f"{VALUES} core/filter core/cluster config gang/declare/spark",
    "gang/model": f"{CORE} config gang/door gang/declare gang/declare/spark gang/reservation/format gang/durations gang/shares",
    "gang/report": f"{CORE} gang/door gang/declare gang/model",
    "gang/reservation": f"{PARTS} gang/report",
    "gang/lead": f"{PARTS} gang/report gang/reservation",
    "gang/quota": f"{PARTS} gang/report",
    "gang/called": PARTS,
    "gang/queue": f"{PARTS} gang/report gang/reservation gang/quota gang/called",
    "gang/preflight": PARTS,
    "gang/demand": f"{PARTS} gang/report gang/quota gang/queue",
    "gang/preempt": f"{PARTS} gang/report gang/reservation gang/quota gang/queue",
    "gang/backfill": f"{PARTS} gang/report gang/reservation gang/quota gang/queue",
    "gang/classify": f"{PARTS} gang/report gang/reservation",
    "gang/slots": f"{PARTS} gang/report gang/reservation gang/lead gang/quota gang/queue gang/called",
    "gang/recovery": f"{PARTS} gang/report gang/reservation gang/lead gang/quota gang/queue gang/classify gang/slots",
    "gang/life": f"{PARTS} gang/report gang/reservation gang/lead gang/classify gang/slots",
    "gang/group": f"{PARTS} gang/report gang/reservation gang/life",
    "gang/group_status": PARTS,
    "gang/reconfigure": f"{PARTS} gang/report gang/reservation gang/lead gang/quota gang/queue gang/classify gang/slots gang/life",
    "gang/view": f"{PARTS} gang/report gang/lead gang/quota gang/queue gang/classify gang/slots gang/group",
    "gang/extender": f"{PARTS} gang/report gang/classify gang/life gang/view",
    "gang/scheduler": f"{PARTS} gang/report gang/reservation gang/lead gang/quota gang/queue gang/classify gang/slots "
                      "gang/backfill gang/preempt gang/preflight gang/called gang/recovery gang/life gang/group gang/group_status gang/reconfigure gang/view gang/extender gang/demand",
    "gang/consistency": f"{VALUES} gang/door gang/scheduler",
    "gang/record": f"{VALUES} config gang/door gang/scheduler",
    "gang/host": f"{VALUES} gang/door gang/reservation/format k8s/protocol k8s/protocol/write",
    "gang/sim": f"{PARTS} k8s/protocol k8s/protocol/write gang/lead gang/quota gang/queue gang/reservation gang/report gang/scheduler gang/host gang/record",

    "k8s/protocol": "core/base",
    "k8s/protocol/write": f"{VALUES} k8s/protocol",
    "k8s/base": "",
    "k8s/json": f"{VALUES} k8s/base k8s/protocol",
    "k8s/codec": f"{VALUES} k8s/base k8s/json k8s/protocol k8s/protocol/write",
    "k8s/credentials/exec": "core/base k8s/base k8s/json k8s/codec",
    "k8s/credentials": "core/base k8s/base k8s/json k8s/credentials/exec",
    "k8s/net": "core/base k8s/base k8s/codec k8s/credentials k8s/credentials/exec",
    "k8s/watch": f"{VALUES} k8s/base k8s/codec k8s/net k8s/protocol",
    "k8s/write": f"{VALUES} k8s/base k8s/codec k8s/net k8s/protocol k8s/protocol/write",
    "k8s/volume": f"{VALUES} k8s/base k8s/codec k8s/net k8s/protocol k8s/protocol/write k8s/watch",
    "k8s/group": f"{VALUES} k8s/base k8s/codec k8s/net k8s/protocol/write k8s/watch",
    "k8s/queue": f"{VALUES} k8s/base k8s/codec k8s/net k8s/watch",
    "k8s/namespaces": f"{VALUES} k8s/base k8s/codec k8s/net k8s/watch",
    "k8s/quota": f"{VALUES} k8s/base k8s/codec k8s/net k8s/protocol/write",
    "k8s/review": "core/base k8s/base k8s/json k8s/codec k8s/net",
    "k8s/demand": f"{VALUES} k8s/base k8s/codec k8s/net k8s/protocol/write",
    "k8s/metrics": f"{VALUES} k8s/base k8s/json k8s/codec k8s/net k8s/protocol",
    "k8s/lease": "k8s/base k8s/codec k8s/net k8s/protocol",

    "k8s/embedded/store": f"{VALUES} k8s/json",
    "k8s/embedded/schema": "k8s/embedded/store",
    "k8s/embedded/protobuf": "core/base k8s/embedded/store",
    "k8s/embedded/patch": "k8s/base k8s/embedded/store",
    "k8s/embedded/query": "k8s/embedded/store",
    "k8s/embedded/tables": "k8s/base k8s/embedded/store",
    "k8s/embedded/admission": f"{VALUES} k8s/base k8s/embedded/store k8s/embedded/schema",
    "k8s/embedded/api": "k8s/base k8s/embedded/store k8s/embedded/schema k8s/embedded/protobuf k8s/embedded/patch "
                        "k8s/embedded/query k8s/embedded/tables k8s/embedded/admission",
    "k8s/embedded/discovery": "k8s/embedded/store k8s/embedded/schema k8s/embedded/api",
    "k8s/embedded/http": "core/base k8s/base k8s/embedded/store k8s/embedded/api k8s/embedded/discovery",
    "k8s/embedded/kubelet": f"{VALUES} core/filter k8s/base k8s/codec k8s/embedded/store k8s/embedded/http",
    "k8s/embedded": "core/base k8s/embedded/http",

    "gang/app/base": f"{VALUES} config gang/door gang/declare/spark {CLIENT}",
    "gang/app/serve": f"{VALUES} config gang/door gang/app/base {CLIENT}",
    "gang/app/show": f"{VALUES} config gang/door gang/declare/spark gang/reservation/format gang/app/base {CLIENT}",
    "gang/app/output": f"{VALUES} config gang/door gang/app/base gang/app/show {CLIENT}",
    "gang/app/page": "",
    "gang/app/api": f"{VALUES} core/score core/placement config gang/door gang/app/base gang/app/page gang/app/serve gang/app/show {CLIENT}",
    "gang/app/extender": f"{VALUES} config gang/door gang/app/base gang/app/serve {CLIENT}",
    "gang/app/called": f"{VALUES} config gang/door gang/app/base gang/app/extender k8s/base k8s/json k8s/codec k8s/net k8s/credentials",
    "gang/app/daemon": f"{VALUES} config gang/door gang/declare gang/declare/spark gang/durations gang/scheduler gang/consistency gang/host gang/record gang/reservation/format "
                       f"gang/app/base gang/app/api gang/app/called gang/app/extender gang/app/serve gang/app/show {CLIENT}",
    "gang/app/reload": "core/base config gang/app/base",
    "gang/app/demo": f"{VALUES} gang/declare/spark gang/app/base gang/app/daemon gang/app/show k8s/codec k8s/embedded "
                     "k8s/embedded/http k8s/embedded/kubelet k8s/embedded/store",
    "gang/app/cli": f"{VALUES} config gang/door gang/scheduler gang/record gang/reservation/format gang/app/base gang/app/called gang/app/daemon gang/app/reload "
                    f"gang/app/demo gang/app/api gang/app/output gang/app/page gang/app/serve gang/app/show {CLIENT} k8s/embedded k8s/embedded/kubelet",
    "gang/app": "gang/app/cli",
}

# layer -> the third parties' headers that it may include
LAYERS = {
    "core": ["fmt/", "boost/container", "boost/unordered"],
    "config": ["fmt/", "yaml-cpp/"],
    "gang": ["fmt/", "boost/container", "rapidjson/"],
    "gang/sim": ["fmt/"],
    "gang/app": ["fmt/", "boost/", "prometheus/", "yaml-cpp/"],
    "k8s/protocol": ["fmt/", "boost/container"],
    "k8s": ["fmt/", "boost/", "rapidjson/", "openssl/", "yaml-cpp/"],
    "k8s/embedded": ["fmt/", "boost/"],
}
# Third parties that only the named files may include.
ONLY_IN = {
    "rapidjson/": ["k8s/json/json.hpp", "gang/record/event_log.cpp"],
    "openssl/": ["k8s/net/tls.cpp", "k8s/credentials/hmac.cpp"],
    "prometheus/": ["gang/app/serve/metrics.cpp", "gang/app/serve/metrics_view.cpp", "gang/app/serve/metrics_view.hpp"],
    "boost/asio/ssl/impl/src": ["k8s/net/asio_impl.cpp"],
    "yaml-cpp/": ["config/loader.cpp", "k8s/credentials/codec_kubeconfig.cpp", "k8s/credentials/kubeconfig_fields.hpp",
                  "k8s/credentials/codec_exec_plugin.hpp", "k8s/codec/pod/codec_executor_template.cpp",
                  "gang/app/cli/data_output.cpp"],
}
# The pure layers read no clock, start no thread, touch no file.
IMPURE = ["chrono", "random", "thread", "mutex", "atomic", "fstream", "iostream", "filesystem", "ctime",
          "unordered_map", "unordered_set"]
PURE = ["core", "gang", "gang/sim", "k8s/protocol"]

FILES_MAX = 20
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^">]+)[">]', re.M)


def longest(names: dict, path: str) -> str | None:
    fitting = [name for name in names if path.startswith(name + "/")]
    return max(fitting, key=len) if fitting else None


def room_of(path: str) -> str | None:
    """The room of a file, by its path from the top."""
    name = Path(path)
    if path.startswith("gang/") and not path.startswith(("gang/app/", "gang/sim/")):
        if path.startswith("gang/scheduler."):
            return "gang/scheduler"
        if str(name.parent) == "gang":
            return "gang/door" if name.stem in DOOR else None
    return longest(ROOMS, path)


def include_problems(path: str, text: str) -> list[str]:
    layer, room = longest(LAYERS, path), room_of(path)
    if layer is None or room is None:
        return [f"{path} stands in no room"]
    problems = []
    allowed = ROOMS[room].split()
    for kind, name in INCLUDE.findall(text):
        if kind == '"':
            if room_of(name) not in [room, *allowed]:
                problems.append(f"{path}: room {room} must not include {name}")
            continue
        if "/" in name:
            if not any(name.startswith(prefix) for prefix in LAYERS[layer]) and not name.startswith("sys/"):
                problems.append(f"{path}: layer {layer} must not include <{name}>")
            for prefix, files in ONLY_IN.items():
                if name.startswith(prefix) and path not in files:
                    problems.append(f"{path}: <{name}> belongs in {', '.join(files)} only")
        elif layer in PURE and name in IMPURE:
            problems.append(f"{path}: pure layer {layer} must not include <{name}>")
    return problems


def table_problems() -> list[str]:
    """Rooms that would need each other, and names that no room has."""
    unknown = [f"ROOMS: {room} names {other}, which is no room" for room, others in ROOMS.items()
               for other in others.split() if other not in ROOMS]
    try:
        TopologicalSorter({room: others.split() for room, others in ROOMS.items()}).prepare()
    except CycleError as error:
        unknown.append(f"ROOMS: {' needs '.join(reversed(error.args[1]))}")
    return unknown


def crowded() -> list[str]:
    folders = {file.parent for top in ("core", "gang", "k8s", "config", "docs")
               for file in (ROOT / top).rglob("*.*")}
    counts = {folder: sum(file.is_file() for file in folder.iterdir()) for folder in folders}
    return [f"{folder.relative_to(ROOT)}: {count} files in one folder, {FILES_MAX} at most"
            for folder, count in sorted(counts.items()) if count > FILES_MAX]


def strip_comments_and_strings(text: str) -> str:
    blank = lambda match: re.sub(r"[^\n]", " ", match.group(0))
    text = re.sub(r'R"(\w*)\((?:.|\n)*?\)\1"', blank, text)
    return re.sub(r'//[^\n]*|/\*(?:.|\n)*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])\'', blank, text)


def coroutine_problems(path: str, text: str) -> list[str]:
    problems = []
    code = strip_comments_and_strings(text)
    for match in re.finditer(r"\bco_await\b", code):
        # The operand: up to the end of the statement, or to the parenthesis that encloses it (a condition).
        depth, end = 0, match.end()
        while end < len(code):
            char = code[end]
            if char in "([":
                depth += 1
            elif char in ")]":
                depth -= 1
                if depth < 0:
                    break
            elif char == ";" and depth == 0:
                break
            end += 1
        start = max(code.rfind(mark, 0, match.start()) for mark in ";{}") + 1
        statement = code[start:end]
        if "{" in code[match.end():end] or "?" in statement:
            line = code.count("\n", 0, match.start()) + 1
            problems.append(f"{path}:{line}: brace, lambda or ?: in a statement with co_await")
    return problems


def main() -> int:
    problems, files = table_problems() + crowded(), 0
    for top in ["core", "gang", "k8s", "config"]:
        for file in sorted((ROOT / top).rglob("*.[ch]pp")):
            path, text = str(file.relative_to(ROOT)), file.read_text()
            files += 1
            problems += include_problems(path, text)
            problems += coroutine_problems(path, text)
    for problem in problems:
        print(problem)
    print(f"layers: {files} files read, {len(problems)} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
