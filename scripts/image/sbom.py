#!/usr/bin/env python3
"""Prints what is inside an image as SPDX 2.3: the program, and each Debian package that has a part in it.

Usage: sbom.py PROGRAM FOLDER < PACKAGES. FOLDER is the root of the image. A line of PACKAGES has the relationship
(DYNAMIC_LINK, STATIC_LINK, CONTAINS), the name of a package that is installed here, and the file that is inside, if there
is one. The output has no chance in it; its date is SOURCE_DATE_EPOCH or the day of the program's commit.
"""
import hashlib
import json
import os
import re
import subprocess
import sys
import uuid
from datetime import datetime, timezone
from pathlib import Path
from typing import Any, Iterable, Optional
from urllib.parse import quote

Json = dict[str, Any]

DOCUMENT, IMAGE, PROGRAM = "SPDXRef-DOCUMENT", "SPDXRef-image", "SPDXRef-program"
PROGRAM_INSIDE = "usr/bin/gang-scheduler"
NOT_SAID = "NOASSERTION"
# Debian's short names that are a licence of SPDX's list without doubt. X11 is not: its text here is not SPDX's.
LICENCES = {
    "0bsd": "0BSD", "apache-2.0": "Apache-2.0", "artistic": "Artistic-1.0-Perl", "bsd-2-clause": "BSD-2-Clause",
    "bsd-3-clause": "BSD-3-Clause", "bsl-1.0": "BSL-1.0", "cc0-1.0": "CC0-1.0", "expat": "MIT",
    "gpl-1+": "GPL-1.0-or-later", "gpl-2+": "GPL-2.0-or-later", "zlib": "Zlib",
}


def licences_of(copyright_text: str) -> list[str]:
    """What a machine-readable copyright file names, but for the packaging, which is not inside. Nothing from other files."""
    if "copyright-format/1.0" not in copyright_text.split("\n", 1)[0]:
        return []
    found = set()
    for paragraph in re.split(r"\n\s*\n", copyright_text):
        fields = dict(re.findall(r"^([A-Za-z-]+):[ \t]*(.*(?:\n[ \t].*)*)", paragraph, re.MULTILINE))
        files = fields.get("Files", "debian/").split()
        if any(not name.startswith("debian/") for name in files) and "License" in fields:
            found.add(fields["License"].split("\n")[0].strip())
    return sorted(found)


def in_spdx(licence: str) -> Optional[str]:
    parts = re.split(r" (or|and) ", licence)
    names = [LICENCES.get(name.lower()) for name in parts[::2]]
    if None in names or len(set(parts[1::2])) > 1:
        return None
    joined = f" {parts[1].upper()} ".join(map(str, names)) if len(names) > 1 else str(names[0])
    return f"({joined})" if "or" in parts[1::2] else joined


def declared(copyright_text: str) -> Json:
    named = licences_of(copyright_text)
    known = [in_spdx(licence) for licence in named]
    if named and None not in known:
        return {"licenseDeclared": " AND ".join(sorted(map(str, known)))}
    comment = f"Debian's copyright file names: {'; '.join(named)}." if named else "Debian's copyright file says it in words."
    return {"licenseDeclared": NOT_SAID, "licenseComments": comment}


def element(spdx_id: str, name: str, version: str, purpose: str, **more: Any) -> Json:
    return {"SPDXID": spdx_id, "name": name, "versionInfo": version, "supplier": NOT_SAID, "downloadLocation": NOT_SAID,
            "filesAnalyzed": False, "licenseConcluded": NOT_SAID, "licenseDeclared": NOT_SAID, "copyrightText": NOT_SAID,
            "primaryPackagePurpose": purpose, **more}


def os_release() -> dict[str, str]:
    lines = Path("/etc/os-release").read_text().splitlines()
    return {key: value.strip('"') for key, _, value in (line.partition("=") for line in lines)}


class Dpkg:
    """Installed packages, of this architecture or of all."""

    def __init__(self, names: Iterable[str]) -> None:
        here = self._run("dpkg", "--print-architecture").strip()
        columns = ["Package", "Architecture", "Version", "source:Package", "source:Version"]
        lines = self._run("dpkg-query", "-W", "-f", "\t".join(f"${{{c}}}" for c in columns) + "\n", *names).splitlines()
        rows = [dict(zip(columns, line.split("\t"))) for line in lines]
        self.packages = {row["Package"]: row for row in rows if row["Architecture"] in (here, "all")}

    @staticmethod
    def _run(*command: str) -> str:
        return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout


def purl(package: dict[str, str], debian: str) -> str:
    """`upstream` is the source package, with its version where that is another one, as Syft writes and Grype reads it."""
    source = package["source:Package"]
    if package["source:Version"] != package["Version"]:
        source += "@" + package["source:Version"]
    words = {"arch": package["Architecture"], "distro": f"debian-{debian}", "upstream": source}
    place = "/".join(quote(word, safe=":~") for word in ("debian", package["Package"]))
    qualifiers = "&".join(f"{key}={quote(value, safe=':~')}" for key, value in sorted(words.items()))
    return f"pkg:deb/{place}@{quote(package['Version'], safe=':~')}?{qualifiers}"


def debian_package(package: dict[str, str], files: list[str], documents: Path, debian: str) -> Json:
    name, inside = package["Package"], f"Files inside: {', '.join(files)}." if files else "Compiled into the program."
    return element(
        f"SPDXRef-debian-{name.replace('+', 'p')}", name, package["Version"], "LIBRARY" if name != "base-files" else "OTHER",
        supplier="Organization: Debian", sourceInfo=f"Debian source package {package['source:Package']} "
        f"{package['source:Version']}", comment=inside,
        **declared((documents / name / "copyright").read_text(encoding="utf-8", errors="replace")),
        externalRefs=[{"referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl",
                       "referenceLocator": purl(package, debian)}])


def creation(version: Json) -> Json:
    epoch, day = os.environ.get("SOURCE_DATE_EPOCH"), version["commitDate"]
    info: Json = {"creators": [f"Tool: gang-scheduler-sbom-{version['version']}"]}
    if epoch:
        info["created"] = datetime.fromtimestamp(int(epoch), timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
    elif day:
        info["created"] = f"{day}T00:00:00Z"
    else:
        info |= {"created": "1970-01-01T00:00:00Z", "comment": "The date is not known: the build was not told of a commit."}
    return info


def document(program: str, folder: Path, lines: list[list[str]]) -> Json:
    version = json.loads(subprocess.run([program, "version", "-o", "json"], check=True, stdout=subprocess.PIPE).stdout)
    named = version["version"] + (f" (commit {version['commit']})" if version["commit"] else "")
    debian = os_release()["VERSION_ID"]
    dpkg = Dpkg(sorted({line[1] for line in lines})).packages
    packages = {name: debian_package(package, sorted({line[2] for line in lines if line[1] == name and len(line) > 2}),
                                     folder / "usr/share/doc", debian) for name, package in sorted(dpkg.items())}
    sha256 = hashlib.sha256((folder / PROGRAM_INSIDE).read_bytes()).hexdigest()
    relations = {(DOCUMENT, "DESCRIBES", IMAGE), (IMAGE, "CONTAINS", PROGRAM)}
    for relationship, name, *file in lines:
        if relationship != "CONTAINS":
            relations.add((PROGRAM, relationship, packages[name]["SPDXID"]))
        if file:
            relations.add((IMAGE, "CONTAINS", packages[name]["SPDXID"]))
    content: Json = {
        "spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": DOCUMENT,
        "name": f"gang-scheduler-{version['version']}",
        "creationInfo": creation(version),
        "packages": [
            element(IMAGE, "gang-scheduler-image", named, "CONTAINER",
                    comment=f"What scripts/image/collect.sh gathers on Debian {debian}."),
            element(PROGRAM, "gang-scheduler", named, "APPLICATION", licenseDeclared="Apache-2.0",
                    packageFileName=f"/{PROGRAM_INSIDE}", checksums=[{"algorithm": "SHA256", "checksumValue": sha256}]),
            *packages.values()],
        "relationships": [{"spdxElementId": one, "relationshipType": relationship, "relatedSpdxElement": other}
                          for one, relationship, other in sorted(relations)],
    }
    # Another content has another name; the site is the one that SPDX gives to those who have none.
    unique = uuid.uuid5(uuid.NAMESPACE_URL, json.dumps(content))
    return content | {"documentNamespace": f"https://spdx.org/spdxdocs/{content['name']}-{unique}"}


def main() -> int:
    if len(sys.argv) != 3:
        print("usage: sbom.py PROGRAM FOLDER < PACKAGES", file=sys.stderr)
        return 2
    lines = [line.split() for line in sys.stdin if line.strip()]
    print(json.dumps(document(sys.argv[1], Path(sys.argv[2]), lines), indent=2))
    return 0


if __name__ == "__main__":
    sys.exit(main())
