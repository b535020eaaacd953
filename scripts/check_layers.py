#!/usr/bin/env python3
"""Fails on an include that crosses a layer's border, and on a coroutine statement that GCC 12 miscompiles.

The borders are those of CMakeLists.txt. A statement with `co_await` may
hold no brace, no conditional operator and no lambda: GCC 12 destroys such temporaries twice (its bug 107288).
"""
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

# folder -> (own headers it may include, third-party prefixes it may include)
LAYERS = {
    "core": (["core"], ["fmt/", "boost/container"]),
    "config": (["config", "core"], ["fmt/", "yaml-cpp/"]),
    "gang": (["gang", "core", "config/schema.hpp"], ["fmt/", "boost/container", "rapidjson/"]),
    "gang/sim": (["gang", "core", "config/schema.hpp", "k8s/protocol"], ["fmt/"]),
    "k8s/protocol": (["k8s/protocol", "core"], ["fmt/", "boost/container"]),
    "k8s": (["k8s", "core"], ["fmt/", "boost/", "rapidjson/", "openssl/", "yaml-cpp/"]),
    "k8s/embedded": (["k8s", "core"], ["fmt/", "boost/"]),
    "gang/app": (["gang", "core", "config", "k8s"], ["fmt/", "boost/", "prometheus/"]),
}
# Third parties that only the named files may include.
ONLY_IN = {
    "rapidjson/": ["k8s/json.hpp", "gang/event_log.cpp"],
    "openssl/": ["k8s/tls.cpp", "k8s/hmac.cpp"],
    "prometheus/": ["gang/app/metrics.cpp", "gang/app/metrics_view.cpp", "gang/app/metrics_view.hpp"],
    "boost/asio/ssl/impl/src": ["k8s/asio_impl.cpp"],
    "yaml-cpp/": ["config/loader.cpp", "k8s/codec_kubeconfig.cpp", "k8s/codec_executor_template.cpp"],
}
# The pure layers read no clock, start no thread, touch no file.
IMPURE = ["chrono", "random", "thread", "mutex", "atomic", "fstream", "iostream", "filesystem", "ctime",
          "unordered_map", "unordered_set"]
PURE = ["core", "gang", "gang/sim", "k8s/protocol"]

INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^">]+)[">]', re.M)


def layer_of(path: str) -> str | None:
    fitting = [name for name in LAYERS if path.startswith(name + "/")]
    return max(fitting, key=len) if fitting else None


def own_include_allowed(layer: str, name: str) -> bool:
    allowed, _ = LAYERS[layer]
    target = layer_of(name)
    for prefix in allowed:
        if name == prefix:
            return True
        if name.startswith(prefix + "/"):
            if layer == "gang" and target in ("gang/app", "gang/sim"):
                return False
            if layer == "gang/sim" and target == "gang/app":
                return False
            if layer == "k8s" and target == "k8s/embedded":
                return False
            return True
    return False


def include_problems(path: str, text: str) -> list[str]:
    layer = layer_of(path)
    if layer is None:
        return []
    problems = []
    for kind, name in INCLUDE.findall(text):
        if kind == '"':
            if not own_include_allowed(layer, name):
                problems.append(f"{path}: layer {layer} must not include {name}")
            continue
        if "/" in name:
            if not any(name.startswith(prefix) for prefix in LAYERS[layer][1]) and not name.startswith("sys/"):
                problems.append(f"{path}: layer {layer} must not include <{name}>")
            for prefix, files in ONLY_IN.items():
                if name.startswith(prefix) and path not in files:
                    problems.append(f"{path}: <{name}> belongs in {', '.join(files)} only")
        elif layer in PURE and name in IMPURE:
            problems.append(f"{path}: pure layer {layer} must not include <{name}>")
    return problems


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
    problems, files = [], 0
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
