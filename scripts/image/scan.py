#!/usr/bin/env python3
"""Compares what an SBOM lists with Debian's security tracker, and prints the vulnerabilities that are open.

Usage: scan.py SBOM [--tracker FILE]. Without FILE the tracker is asked. Ends with 1 when the release has an update that
is not inside, 0 when it has none, 2 when one of both files cannot be read or does not fit. Needs dpkg, of any release.
"""
import argparse
import json
import subprocess
import sys
import urllib.request
from dataclasses import dataclass
from functools import cache
from http.client import HTTPException
from pathlib import Path
from typing import Any, Iterator, Optional
from urllib.parse import unquote

TRACKER = "https://security-tracker.debian.org/tracker/data/json"
SECONDS_MAX = 60  # of silence
RELEASES = {"debian-12": "bookworm", "debian-13": "trixie"}

Json = dict[str, Any]


class Unusable(Exception):
    """A file cannot be read, or says nothing about the other one."""


@dataclass(frozen=True, order=True)
class Source:
    name: str
    version: str
    release: str


@dataclass(frozen=True)
class Finding:
    """A vulnerability that this version of a source package has."""
    name: str
    urgency: str
    state: str
    has_update: bool


def sources(sbom: Json) -> dict[Source, list[str]]:
    """Each source package of Debian with the packages made from it."""
    found: dict[Source, list[str]] = {}
    for package in sbom["packages"]:
        for reference in package.get("externalRefs", []):
            purl = reference["referenceLocator"]
            if not purl.startswith("pkg:deb/debian/"):
                continue
            path, _, query = purl.partition("?")
            name, version = map(unquote, path.removeprefix("pkg:deb/debian/").split("@"))
            words = {key: unquote(value) for key, _, value in (word.partition("=") for word in query.split("&"))}
            source, _, source_version = words.get("upstream", name).partition("@")
            release = RELEASES.get(words["distro"], words["distro"])
            found.setdefault(Source(source, source_version or version, release), []).append(name)
    if not found:
        raise Unusable("the SBOM lists no package of Debian")
    return {source: sorted(names) for source, names in sorted(found.items())}


@cache
def is_older(version: str, other: str) -> bool:
    try:
        return subprocess.run(["dpkg", "--compare-versions", version, "lt", other]).returncode == 0
    except OSError as error:
        raise Unusable(f"versions are compared by dpkg, which does not run: {error}") from error


def finding(source: Source, name: str, entry: Json) -> Optional[Finding]:
    """Nothing, if the version is not vulnerable. `fixed_version` is 0 where the release never was."""
    fixed, status, urgency = entry.get("fixed_version"), entry["status"], entry.get("urgency", "not yet assigned")
    if fixed and not is_older(source.version, fixed):
        return None
    if status == "resolved" and fixed:
        return Finding(name, urgency, f"update to {fixed}", True)
    notes = [entry[key] for key in ("nodsa", "nodsa_reason") if entry.get(key)]
    if entry.get("next_point_update"):
        notes.append("to be fixed in the next point release")
    return Finding(name, urgency, ": ".join([status, ", ".join(notes)] if notes else [status]), False)


def findings(source: Source, entries: Json) -> list[Finding]:
    """Updates first, what Debian holds for unimportant last."""
    of_release = ((name, entry["releases"].get(source.release)) for name, entry in entries.items())
    found = [finding(source, name, entry) for name, entry in of_release if entry]
    return sorted(filter(None, found), key=lambda f: (not f.has_update, f.urgency == "unimportant", f.name))


def read_tracker(file: Optional[Path]) -> Json:
    try:
        if file:
            text = file.read_bytes()
        else:
            with urllib.request.urlopen(TRACKER, timeout=SECONDS_MAX) as answer:
                text = answer.read()
        tracker = json.loads(text)
    except (OSError, ValueError, HTTPException) as error:
        raise Unusable(f"cannot read the tracker {file or TRACKER}: {error}") from error
    if not isinstance(tracker, dict):
        raise Unusable(f"the tracker {file or TRACKER} is no map of packages")
    return tracker


def check_fit(inside: dict[Source, list[str]], tracker: Json) -> None:
    """A file of something else, or of a time when this release has left the tracker, must not pass for good news."""
    for release in sorted({source.release for source in inside}):
        names = {source.name for source in inside if source.release == release}
        if not any(release in entry["releases"] for name in names for entry in tracker.get(name, {}).values()):
            raise Unusable(f"the tracker knows nothing about these packages in {release}")


def table(source: Source, packages: list[str], found: list[Finding]) -> Iterator[str]:
    yield f"{source.name} {source.version} ({', '.join(packages)})"
    for one in found:
        yield f"  {one.name:<18}{one.urgency:<18}{one.state}"


def scan(sbom_file: Path, tracker_file: Optional[Path]) -> int:
    try:
        inside = sources(json.loads(sbom_file.read_bytes()))
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise Unusable(f"cannot read the SBOM {sbom_file}: {error!r}") from error
    tracker = read_tracker(tracker_file)
    try:
        check_fit(inside, tracker)
        found = {source: findings(source, tracker.get(source.name, {})) for source in inside}
    except (KeyError, TypeError, AttributeError) as error:
        raise Unusable(f"the tracker {tracker_file or TRACKER} has another form: {error!r}") from error
    for source, ones in found.items():
        if ones:
            print("\n".join(table(source, inside[source], ones)))
    total = sum(map(len, found.values()))
    updates = sum(one.has_update for ones in found.values() for one in ones)
    unknown = [source.name for source in inside if source.name not in tracker]
    if unknown:
        print(f"not in the tracker, so with no vulnerability that it knows: {', '.join(unknown)}")
    print(f"{len(inside)} source packages: {updates} vulnerabilities with an update, {total - updates} without one")
    if updates:
        print("Build the image anew, from packages of today.")
    return 1 if updates else 0


def main() -> int:
    parser = argparse.ArgumentParser(
        description="Prints the open vulnerabilities of what an SBOM lists, by Debian's security tracker.")
    parser.add_argument("sbom", type=Path)
    parser.add_argument("--tracker", type=Path, metavar="FILE", help=f"a copy of {TRACKER}, which is asked without it")
    options = parser.parse_args()
    try:
        return scan(options.sbom, options.tracker)
    except Unusable as error:
        print(f"scan.py: {error}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())
