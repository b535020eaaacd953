"""The form in which answers of two rigs are compared, and the comparison.

What legitimately differs is taken away by rule, never by case: uids become <uid of NAME> after the object that
has it, so that the same object has the same one everywhere; times become <time>; versions become
<version>, because two servers count differently; tokens and generated suffixes likewise. Lists that have no
order by contract are sorted, null is the same as absent, managedFields are left out. Of errors that only a
person reads (a body that does not parse, a value that is not valid) the wording is left out: status, reason,
and the reason and field of each cause must be the same. Where clients match on the words (404, 405, 409, 410,
504) they must be the same too.
"""
import re
from typing import Any, Iterator

_UID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z")
_VERSION_TEXT = re.compile(r'(resource version:? |ResourceVersion: |resourceVersion: |[vV]ersion in (?:precondition|object meta): |ResourceVersion in (?:the precondition|record) \()"?\d+"?')
_AGE = re.compile(r"\d+s")  # of a table's cell
_TOO_OLD = re.compile(r"\d+ \(\d+\)")
_SUFFIX = re.compile(r"(generated-)[a-z0-9]{5}\b")
_VERSIONED = ("resourceVersion", "continue")
# The description is a sentence about a column or a field, not an answer.
_LEFT_OUT = ("managedFields", "description")
# The real rig runs without the admission plugin that would say so; see tests/plane/README.md.
_ACCOUNT = ("serviceAccount", "serviceAccountName")
_FOR_PEOPLE = ("BadRequest", "Invalid", "UnsupportedMediaType", "NotAcceptable", "InternalError")
_UNORDERED = ("categories", "shortNames", "verbs", "resources")


class Names:
    """Uids by the names of the objects that have them."""

    def __init__(self) -> None:
        self._uids: dict[str, str] = {}

    def learn(self, value: Any) -> None:
        """From every metadata in a body."""
        if isinstance(value, dict):
            uid, name = value.get("uid"), value.get("name")
            if isinstance(uid, str) and isinstance(name, str):
                self._uids.setdefault(uid, _SUFFIX.sub(r"\1<suffix>", name))
            for inner in value.values():
                self.learn(inner)
        elif isinstance(value, list):
            for inner in value:
                self.learn(inner)

    def of(self, uid: str) -> str:
        return f"<uid of {self._uids[uid]}>" if uid in self._uids else "<uid>"


def normalised(value: Any, names: Names, key: str = "") -> Any:
    if isinstance(value, dict):
        if value.get("kind") == "Status" and value.get("status") == "Failure":
            value = _error(value)
        return {name: normalised(inner, names, name) for name, inner in value.items()
                if inner is not None and name not in _LEFT_OUT and not (name in _ACCOUNT and inner == "default")}
    if isinstance(value, list):
        items = [normalised(inner, names, key) for inner in value]
        return sorted(items, key=str) if key in _UNORDERED else items
    if isinstance(value, str):
        return _text(value, names, key)
    return value


def _error(status: dict[str, Any]) -> dict[str, Any]:
    result = dict(status)
    if status.get("reason", "InternalError") in _FOR_PEOPLE:
        result.pop("message", None)
    details = dict(status.get("details") or {})
    if details.get("causes"):
        details["causes"] = sorted({f"{cause.get('reason', '')} {cause.get('field', '')}"
                                    for cause in details["causes"]})
    if details:
        result["details"] = details
    else:
        result.pop("details", None)
    return result


def _text(text: str, names: Names, key: str) -> str:
    if key in _VERSIONED and text not in ("", "0"):
        return f"<{key}>"
    if key == "cells" and _AGE.fullmatch(text):
        return "<age>"
    text = _UID.sub(lambda found: names.of(found.group()), text)
    text = _TIME.sub("<time>", text)
    text = _VERSION_TEXT.sub(r"\1<version>", text)
    text = _TOO_OLD.sub("<version> (<version>)", text)
    return _SUFFIX.sub(r"\1<suffix>", text)


_ABSENT = "<absent>"


def differences(embedded: Any, real: Any, path: str = "") -> Iterator[tuple[str, Any, Any]]:
    """(path, embedded's value, the real one's) of each leaf or missing branch that is not the same."""
    if isinstance(embedded, dict) and isinstance(real, dict):
        for name in sorted({*embedded, *real}):
            inner = f"{path}.{name}" if path else name
            yield from differences(embedded.get(name, _ABSENT), real.get(name, _ABSENT), inner)
    elif isinstance(embedded, list) and isinstance(real, list) and len(embedded) == len(real):
        for number, (left, right) in enumerate(zip(embedded, real)):
            yield from differences(left, right, f"{path}[{number}]")
    elif embedded != real or type(embedded) is not type(real):
        yield path, embedded, real
