"""The root of the image, without a container engine: the program runs there, as the chart runs it, with nothing else."""
import hashlib
import itertools
import json
import os
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any, Optional

import pytest
import yaml

from support.plane.chart import SEAL_KEY_FILE, Helm, Rights
from support.plane.rig import ROOT, binary

RECIPE = ROOT / "scripts/image"
SBOM = "usr/share/doc/gang-scheduler/sbom.spdx.json"

Json = dict[str, Any]


def open_to_all(folder: Path) -> Path:
    """pytest's folders are closed to other users."""
    for path in (folder, *folder.parents):
        if path.stat().st_mode & 0o001 == 0:
            path.chmod(path.stat().st_mode | 0o011)
        if path.name.startswith("pytest-of-"):
            break
    return folder


def gather(folder: Path) -> Path:
    environment = {key: value for key, value in os.environ.items() if key != "SOURCE_DATE_EPOCH"}
    subprocess.run([str(RECIPE / "collect.sh"), str(binary()), str(folder)], check=True, timeout=50, env=environment)
    return folder


@pytest.fixture(scope="module")
def image(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Made once: no test changes it."""
    return gather(tmp_path_factory.mktemp("gathered") / "image")


@pytest.fixture(scope="module")
def sbom(image: Path) -> Json:
    return json.loads((image / SBOM).read_text())


def run(image: Path, *arguments: str) -> "subprocess.CompletedProcess[str]":
    """As root by chroot, which also works where no user namespaces are allowed; else in one of them."""
    enter = ["/usr/sbin/chroot", "--userspec=65532:65532", str(image)] if os.geteuid() == 0 else [
        "/usr/bin/unshare", "--map-user=65532", "--map-group=65532", f"--root={image}", "--wd=/"]
    return subprocess.run([*enter, "/usr/bin/gang-scheduler", *arguments],
                          capture_output=True, text=True, timeout=20, env={})


def output(*command: str) -> str:
    return subprocess.run(command, capture_output=True, text=True, timeout=20).stdout


def owners(*paths: str) -> dict[str, set[str]]:
    """The Debian packages that have a file or a folder of this name, here or by its name in /usr."""
    names = {path: (path, os.path.realpath(path), "/usr" + path) for path in paths}
    found: dict[str, set[str]] = {}
    for line in output("dpkg", "-S", *itertools.chain(*names.values())).splitlines():
        packages, _, name = line.rpartition(": ")
        found.setdefault(name, set()).update(package.split(":")[0] for package in packages.split(", "))
    return {path: set().union(*(found.get(name, set()) for name in names[path])) for path in paths}


def test_the_program_runs_with_what_is_there(image: Path, helm: Path, tmp_path: Path) -> None:
    root = open_to_all(tmp_path) / "image"
    shutil.copytree(image, root, symlinks=True)
    version = run(root, "version")
    assert version.returncode == 0 and version.stdout.startswith("gang-scheduler "), version
    chart = Rights(Helm(helm, tmp_path / "helm").template())
    (root / "config.yaml").write_text(chart.config)
    key = root / SEAL_KEY_FILE.lstrip("/")
    key.parent.mkdir(parents=True, exist_ok=True)
    key.write_text(chart.seal_key)
    checked = run(root, "check-config", "/config.yaml")
    assert checked.returncode == 0, checked
    # As in a pod, but for the missing service account: it says so and ends.
    started = run(root, "run", "--config=/config.yaml")
    assert started.returncode == 1 and "gang-scheduler run: " in started.stderr, started


def test_licences_travel_along(image: Path) -> None:
    folder = image / "usr/share/doc"
    packages = {path.parent.name for path in folder.glob("*/copyright") if path.stat().st_size > 500}
    assert {"gang-scheduler", "libc6", "libssl3", "libstdc++6", "libgcc-s1", "libprometheus-cpp-core1.0",
            "prometheus-cpp-dev", "libboost1.81-dev", "libboost-program-options1.81-dev", "rapidjson-dev", "libfmt-dev",
            "libyaml-cpp-dev"} <= packages, packages
    for package in packages - {"gang-scheduler"}:
        here = Path("/usr/share/doc") / package / "copyright"
        assert (folder / package / "copyright").read_bytes() == here.read_bytes(), package
    libraries = [path for path in image.rglob("*.so*") if path.is_file()]
    assert len(libraries) >= 5
    assert "spark.executor" not in (folder / "gang-scheduler/copyright").read_text()
    manual = (image / "usr/share/man/man1/gang-scheduler.1").read_text()
    assert manual.startswith(".TH GANG") and "check\\-config" in manual


def test_the_texts_that_licences_refer_to_are_there(image: Path) -> None:
    copyrights = "".join(path.read_text(errors="replace") for path in image.glob("usr/share/doc/*/copyright"))
    referred = set(re.findall(r"common-licenses/([\w.+-]*\w)", copyrights))
    assert {"GPL", "GPL-3", "LGPL-2.1", "Apache-2.0"} <= referred, referred
    texts = {path.name: path for path in (image / "usr/share/common-licenses").iterdir()}
    assert set(texts) == referred
    for name, path in texts.items():
        assert path.read_bytes() == Path("/usr/share/common-licenses", name).read_bytes(), name


def test_there_is_nothing_else(image: Path) -> None:
    files = [path for path in image.rglob("*") if path.is_file() and ".so" not in path.name]
    files = [path for path in files if path.name != "copyright" and path.parent.name != "common-licenses"]
    assert sorted(path.name for path in files) == ["gang-scheduler", "gang-scheduler.1", "group", "passwd",
                                                   "sbom.spdx.json"]
    size = sum(path.stat().st_size for path in image.rglob("*") if path.is_file())
    assert size < 40e6, f"{size / 1e6:.0f} MB"


def test_the_list_of_what_is_inside_has_what_spdx_demands(image: Path, sbom: Json) -> None:
    assert sbom["spdxVersion"] == "SPDX-2.3" and sbom["dataLicense"] == "CC0-1.0" and sbom["SPDXID"] == "SPDXRef-DOCUMENT"
    assert sbom["name"] and re.fullmatch(r"https://[^\s#]+", sbom["documentNamespace"])
    creation = sbom["creationInfo"]
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", creation["created"]), creation
    assert all(re.match(r"(Tool|Organization|Person): \S", creator) for creator in creation["creators"]), creation
    identifiers = [sbom["SPDXID"]] + [package["SPDXID"] for package in sbom["packages"]]
    assert len(set(identifiers)) == len(identifiers)
    for package in sbom["packages"]:
        assert re.fullmatch(r"SPDXRef-[A-Za-z0-9.-]+", package["SPDXID"])
        assert package["name"] and package["versionInfo"] and package["downloadLocation"] == "NOASSERTION"
        assert package["filesAnalyzed"] is False and package["copyrightText"] == "NOASSERTION"
        for key in ("licenseConcluded", "licenseDeclared"):
            assert re.fullmatch(r"NOASSERTION|[A-Za-z0-9.() -]+", package[key]), package
    for relation in sbom["relationships"]:
        assert {relation["spdxElementId"], relation["relatedSpdxElement"]} <= set(identifiers), relation
        assert relation["relationshipType"] in ("DESCRIBES", "CONTAINS", "STATIC_LINK", "DYNAMIC_LINK"), relation
    related = {relation["relatedSpdxElement"] for relation in sbom["relationships"]}
    assert related == set(identifiers) - {sbom["SPDXID"]}
    program = next(package for package in sbom["packages"] if package["name"] == "gang-scheduler")
    assert program["licenseDeclared"] == "Apache-2.0" and program["versionInfo"].startswith("0.1.0")
    inside = hashlib.sha256((image / "usr/bin/gang-scheduler").read_bytes()).hexdigest()
    assert program["checksums"] == [{"algorithm": "SHA256", "checksumValue": inside}]


def debian_packages(sbom: Json, *relationships: str) -> dict[str, Json]:
    related = {relation["relatedSpdxElement"] for relation in sbom["relationships"]
               if not relationships or relation["relationshipType"] in relationships}
    return {package["name"]: package for package in sbom["packages"]
            if package["supplier"] == "Organization: Debian" and package["SPDXID"] in related}


def test_the_list_has_the_packages_of_all_that_is_inside(image: Path, sbom: Json) -> None:
    libraries = ["/" + str(path.relative_to(image)) for path in image.rglob("*.so*") if path.is_file()]
    linked = debian_packages(sbom, "DYNAMIC_LINK")
    by_library = owners(*libraries)
    assert set().union(*by_library.values()) == set(linked)
    for library, packages in by_library.items():
        assert any(library in linked[package]["comment"] for package in packages), library
    assert set(debian_packages(sbom, "CONTAINS")) == set(linked) | {"base-files"}
    documents = {path.parent.name for path in image.glob("usr/share/doc/*/copyright")}
    assert set(debian_packages(sbom)) == documents - {"gang-scheduler"}

    for name, package in debian_packages(sbom).items():
        columns = ("Version", "Architecture", "source:Package", "source:Version")
        version, architecture, source, source_version = output(
            "dpkg-query", "-W", "-f", "\t".join(f"${{{column}}}" for column in columns), name).split("\t")
        assert package["versionInfo"] == version, package
        assert package["sourceInfo"] == f"Debian source package {source} {source_version}"
        upstream = source if source_version == version else f"{source}%40{source_version}"
        [reference] = package["externalRefs"]
        assert reference["referenceLocator"] == (
            f"pkg:deb/debian/{name}@{version}?arch={architecture}&distro=debian-12&upstream={upstream}").replace("+", "%2B")


def test_the_list_has_the_packages_that_are_compiled_in(sbom: Json) -> None:
    """The program's line table names the folder of every header of which there is code in it."""
    folders = set(re.findall(r"\] +(/usr/\S+)", output("readelf", "--string-dump=.debug_line_str", str(binary()))))
    assert len(folders) > 20, "this program has no line table"
    static = set(debian_packages(sbom, "STATIC_LINK"))
    for folder, packages in owners(*folders).items():
        assert packages & static, f"{folder} is of {packages}"
    # And the archives, of which one was made without a line table.
    assert {"libyaml-cpp-dev", "libboost-program-options1.81-dev", "libc6-dev", "libgcc-12-dev"} <= static


def test_licences_are_said_where_debian_says_them(sbom: Json) -> None:
    packages = debian_packages(sbom)
    assert packages["libprometheus-cpp-core1.0"]["licenseDeclared"] == "0BSD AND Apache-2.0 AND MIT"
    assert packages["libssl3"]["licenseDeclared"] == "(Artistic-1.0-Perl OR GPL-1.0-or-later) AND Apache-2.0"
    # GPL-2+ is the packaging alone, and an exception is no licence of SPDX's list.
    assert packages["rapidjson-dev"]["licenseDeclared"] == "BSD-3-Clause AND MIT"
    assert packages["libfmt-dev"]["licenseDeclared"] == "NOASSERTION"
    assert "Expat with embedded exception" in packages["libfmt-dev"]["licenseComments"]
    assert packages["libc6"]["licenseDeclared"] == "NOASSERTION"


def test_the_list_is_the_same_each_time(image: Path, tmp_path: Path) -> None:
    assert (gather(tmp_path / "again") / SBOM).read_bytes() == (image / SBOM).read_bytes()

    def made(**environment: str) -> Json:
        text = subprocess.run([str(RECIPE / "sbom.py"), str(binary()), str(image)], input="CONTAINS base-files /x\n",
                              env={"PATH": os.environ["PATH"], **environment}, check=True, capture_output=True,
                              text=True, timeout=20).stdout
        return json.loads(text)
    commit_date = json.loads(output(str(binary()), "version", "-o", "json"))["commitDate"]
    assert made()["creationInfo"]["created"] == f"{commit_date or '1970-01-01'}T00:00:00Z"
    dated = made(SOURCE_DATE_EPOCH="1700000000")
    assert dated["creationInfo"]["created"] == "2023-11-14T22:13:20Z"
    assert dated["documentNamespace"] != made()["documentNamespace"]


def test_labels_say_what_the_chart_says() -> None:
    recipe = (RECIPE / "Dockerfile").read_text()
    final = recipe.split("FROM scratch")[1]
    labels = dict(re.findall(r'org\.opencontainers\.image\.(\w+)="([^"]*)"', final))
    assert set(labels) == {"title", "description", "version", "revision", "licenses", "created"}
    chart = yaml.safe_load((ROOT / "charts/gang-scheduler/Chart.yaml").read_text())
    assert labels["title"] == chart["name"] and labels["description"] == chart["description"]
    assert labels["licenses"] == chart["annotations"]["artifacthub.io/license"]
    for label, argument in (("version", "VERSION"), ("revision", "COMMIT"), ("created", "CREATED")):
        assert labels[label] == f"${{{argument}}}" and re.search(rf"^ARG {argument}=", final, re.MULTILINE), label
    assert re.search(rf"^ARG VERSION={re.escape(chart['appVersion'])}$", final, re.MULTILINE)


def entry(status: str, fixed_version: Optional[str] = None, urgency: str = "not yet assigned", **more: str) -> Json:
    """What the tracker says of one vulnerability in one package."""
    release = {"status": status, "urgency": urgency, "repositories": {"bookworm": "1.0-1"}, **more}
    if fixed_version is not None:
        release["fixed_version"] = fixed_version
    return {"description": "made up", "releases": {"bookworm": release, "sid": {"status": "open", "urgency": "high"}}}


class Scan:
    """scan.py over two source packages: `left` 1.0-2+deb12u10, rebuilt, and `right` 2:3.0~rc1-1, of two packages."""

    def __init__(self, folder: Path) -> None:
        self._sbom, self._tracker = folder / "sbom.json", folder / "tracker.json"
        purls = ["pkg:deb/debian/libleft@1.0-2%2Bdeb12u10%2Bb1?arch=amd64&distro=debian-12&upstream=left%401.0-2%2Bdeb12u10",
                 "pkg:deb/debian/libright%2B%2B1@2:3.0~rc1-1?arch=amd64&distro=debian-12&upstream=right",
                 "pkg:deb/debian/right@2:3.0~rc1-1?arch=amd64&distro=debian-12"]
        self._sbom.write_text(json.dumps({"packages": [{"name": "gang-scheduler"}] + [
            {"externalRefs": [{"referenceType": "purl", "referenceLocator": purl}]} for purl in purls]}))

    def run(self, tracker: Any) -> "subprocess.CompletedProcess[str]":
        self._tracker.write_text(tracker if isinstance(tracker, str) else json.dumps(tracker))
        return self.command(str(self._sbom), "--tracker", str(self._tracker))

    @staticmethod
    def command(*arguments: str) -> "subprocess.CompletedProcess[str]":
        return subprocess.run([str(RECIPE / "scan.py"), *arguments], capture_output=True, text=True, timeout=20)


@pytest.fixture
def scan(tmp_path: Path) -> Scan:
    return Scan(tmp_path)


def test_a_scan_ends_well_without_an_update(scan: Scan) -> None:
    done = scan.run({
        "left": {
            "CVE-2001-0001": entry("resolved", "1.0-2+deb12u9"),
            "CVE-2001-0002": entry("resolved", "1.0-2+deb12u10", "high"),
            "CVE-2001-0003": entry("resolved", "0"),
            "CVE-2001-0004": {"releases": {"sid": {"status": "open", "urgency": "high"}}},
            "CVE-2001-0005": entry("open", urgency="unimportant"),
            "CVE-2001-0006": entry("open", urgency="medium"),
            "CVE-2001-0007": entry("undetermined"),
            "CVE-2001-0008": entry("open", urgency="low", nodsa="Minor issue", nodsa_reason="postponed"),
        },
        "other": {"CVE-2001-0009": entry("resolved", "99", "high")},
    })
    assert done.returncode == 0, done
    assert done.stdout.splitlines() == [
        "left 1.0-2+deb12u10 (libleft)",
        "  CVE-2001-0006     medium            open",
        "  CVE-2001-0007     not yet assigned  undetermined",
        "  CVE-2001-0008     low               open: Minor issue, postponed",
        "  CVE-2001-0005     unimportant       open",
        "not in the tracker, so with no vulnerability that it knows: right",
        "2 source packages: 0 vulnerabilities with an update, 4 without one",
    ]


def test_a_scan_fails_when_the_release_has_an_update(scan: Scan) -> None:
    """By Debian's order of versions: u10 is after u9, and a release after its candidate."""
    done = scan.run({
        "left": {"CVE-2001-0001": entry("open", urgency="high"),
                 "CVE-2001-0002": entry("resolved", "1.0-2+deb12u11", "low")},
        "right": {"CVE-2001-0003": entry("resolved", "2:3.0-1"), "CVE-2001-0004": entry("resolved", "99-1")},
    })
    assert done.returncode == 1, done
    assert done.stdout.splitlines() == [
        "left 1.0-2+deb12u10 (libleft)",
        "  CVE-2001-0002     low               update to 1.0-2+deb12u11",
        "  CVE-2001-0001     high              open",
        "right 2:3.0~rc1-1 (libright++1, right)",
        "  CVE-2001-0003     not yet assigned  update to 2:3.0-1",
        "2 source packages: 2 vulnerabilities with an update, 1 without one",
        "Build the image anew, from packages of today.",
    ]


@pytest.mark.parametrize("tracker, said", [
    ("<html>", "cannot read the tracker"),
    ("[]", "no map of packages"),
    ({"other": {"CVE-2001-0001": entry("open")}}, "knows nothing about these packages in bookworm"),
    ({"left": {"CVE-2001-0001": {"releases": {"sid": {}}}}}, "knows nothing about these packages in bookworm"),
    ({"left": {"CVE-2001-0001": "open"}}, "another form"),
])
def test_a_scan_says_that_the_tracker_is_of_no_use(scan: Scan, tracker: Any, said: str) -> None:
    done = scan.run(tracker)
    assert done.returncode == 2 and said in done.stderr and "Traceback" not in done.stderr and not done.stdout, done


def test_a_scan_says_that_a_file_is_not_there(scan: Scan, image: Path, tmp_path: Path) -> None:
    missing = scan.command(str(image / SBOM), "--tracker", str(tmp_path / "missing"))
    assert missing.returncode == 2 and "cannot read the tracker" in missing.stderr, missing
    missing = scan.command(str(tmp_path / "missing"), "--tracker", str(tmp_path / "missing"))
    assert missing.returncode == 2 and "cannot read the SBOM" in missing.stderr, missing


def test_the_image_itself_is_scanned(scan: Scan, image: Path, tmp_path: Path) -> None:
    tracker = tmp_path / "of-openssl.json"
    tracker.write_text(json.dumps({"openssl": {"CVE-2001-0001": entry("resolved", "99-1", "high")}}))
    done = scan.command(str(image / SBOM), "--tracker", str(tracker))
    assert done.returncode == 1, done
    assert "(libssl-dev, libssl3)\n  CVE-2001-0001     high              update to 99-1\n" in done.stdout
