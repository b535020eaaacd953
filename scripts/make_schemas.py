#!/usr/bin/python3
"""Writes k8s/embedded/schema/schema_data.cpp: the names and types of the fields of every kind the embedded server has.

They are read from the OpenAPI documents of a real API server (`tests/plane` builds one). Run it when tests/plane
moves to another version of Kubernetes or the embedded server gets another kind:

    scripts/make_schemas.py KUBECONFIG
"""
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests"))
from support.client.api import Api  # noqa: E402

GROUPS = ("api/v1", "apis/apps/v1", "apis/authentication.k8s.io/v1", "apis/authorization.k8s.io/v1",
          "apis/autoscaling/v2", "apis/batch/v1", "apis/coordination.k8s.io/v1", "apis/discovery.k8s.io/v1",
          "apis/events.k8s.io/v1", "apis/networking.k8s.io/v1", "apis/node.k8s.io/v1", "apis/policy/v1",
          "apis/rbac.authorization.k8s.io/v1", "apis/scheduling.k8s.io/v1", "apis/storage.k8s.io/v1")

HEAD = """// Made by scripts/make_schemas.py from a real API server's OpenAPI documents; not to be edited.
// A line is a type: its name in OpenAPI, with =group/version/kind when it is an object of its own, then name:type of
// each field. Types: s text, i whole number, n number, b boolean,
// * anything, [T] list, <T> map, and the number of a line. See schema.cpp.

#include "k8s/embedded/schema/schema_data.hpp"

namespace k8s::embedded {

// clang-format off
constexpr std::array schema_lines_stored = {
"""
TAIL = """};
// clang-format on

std::span<const std::string_view> schema_lines() {
    return schema_lines_stored;
}

}  // namespace k8s::embedded
"""


class Schemas:
    """Numbers types in the order in which they are first needed."""

    def __init__(self, documents: dict[str, dict]) -> None:
        self._documents = documents
        self._numbers: dict[str, int] = {}
        self.lines: list[str] = []

    def number(self, name: str) -> int:
        if name not in self._numbers:
            number = self._numbers[name] = len(self.lines)
            self.lines.append("")
            fields = self._documents[name].get("properties", {})
            parts = [f"{field}:{self.type_of(schema)}" for field, schema in sorted(fields.items())]
            kinds = self._documents[name].get("x-kubernetes-group-version-kind", [])
            kind = kinds[0] if len(kinds) == 1 else {}
            title = name
            if kind:
                title += "=" + "/".join(kind[part] for part in ("group", "version", "kind"))
            self.lines[number] = " ".join([title, *parts])
        return self._numbers[name]

    def type_of(self, schema: dict) -> str:
        reference = schema.get("$ref") or next(
            (part["$ref"] for part in schema.get("allOf", []) if "$ref" in part), None)
        if reference:
            name = reference.rsplit("/", 1)[1]
            target = self._documents[name]
            if "properties" in target:
                return str(self.number(name))
            # A quantity, a time, a free object: whatever has no fields of its own.
            return "s" if target.get("format") == "date-time" else "*"
        kind = schema.get("type")
        if kind == "array":
            return f"[{self.type_of(schema['items'])}]"
        if kind == "object":
            inner = schema.get("additionalProperties")
            return f"<{self.type_of(inner)}>" if isinstance(inner, dict) and inner else "*"
        return {"string": "s", "integer": "i", "number": "n", "boolean": "b"}.get(kind, "*")


def main() -> int:
    api = Api(Path(sys.argv[1]))
    documents: dict[str, dict] = {}
    roots: list[str] = []
    for group in GROUPS:
        document = api.get(f"/openapi/v3/{group}")
        schemas = document["components"]["schemas"]
        documents.update(schemas)
        version = group.rsplit("/", 1)[1]
        name = "" if group == "api/v1" else group.split("/")[1]
        wanted = {resource["kind"] for resource in api.get("/" + group)["resources"]}
        roots += sorted(key for key, schema in schemas.items()
                        for kind in schema.get("x-kubernetes-group-version-kind", [])
                        if kind == {"group": name, "version": version, "kind": kind["kind"]}
                        and kind["kind"] in wanted and len(schema["x-kubernetes-group-version-kind"]) == 1)
    result = Schemas(documents)
    for root in roots:
        result.number(root)
    with open(ROOT / "k8s/embedded/schema/schema_data.cpp", "w") as file:
        file.write(HEAD)
        for line in result.lines:
            pieces = [line[at:at + 100] for at in range(0, len(line), 100)]
            file.write("std::string_view(\n" + "\n".join(f'"{piece}"' for piece in pieces) + "),\n")
        file.write(TAIL)
    print(f"{len(result.lines)} types, {sum(map(len, result.lines))} bytes")
    return 0


if __name__ == "__main__":
    sys.exit(main())
