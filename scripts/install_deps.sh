#!/bin/sh
# Installs the Debian packages that a target needs; does nothing, and asks for no rights, when they
# are all there. Usage: install_deps.sh build|test|bench|fuzz|dev
set -eu

build="g++ cmake ninja-build ccache mold libboost1.81-dev libboost-program-options1.81-dev libssl-dev
       rapidjson-dev libyaml-cpp-dev libfmt-dev prometheus-cpp-dev python3"
test="$build doctest-dev python3-venv python3-pytest python3-requests python3-yaml python3-jsonschema openssl
      curl chromium"
case "${1:-build}" in
    build) packages=$build ;;
    test) packages=$test ;;
    bench) packages="$test libbenchmark-dev" ;;
    fuzz) packages="$build clang-14 libclang-rt-14-dev" ;;
    dev) packages="$test clang-format-14 clang-tidy-14" ;;
    *) echo "usage: $0 build|test|bench|fuzz|dev" >&2; exit 2 ;;
esac
# Spark's lane needs a JDK from 17 to 21; one that is there already (of any vendor) is good enough.
if [ "${1:-build}" = test ]; then
    case "$(javac -version 2>&1)" in
        "javac 17"* | "javac 18"* | "javac 19"* | "javac 2"[01]*) ;;
        *) packages="$packages openjdk-17-jdk-headless" ;;
    esac
fi

missing=
for package in $packages; do
    dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q 'install ok installed' ||
        missing="$missing $package"
done
[ -n "$missing" ] || exit 0

echo "installing Debian packages:$missing"
as_root=
if [ "$(id -u)" != 0 ]; then
    command -v sudo >/dev/null 2>&1 || { echo "not root and no sudo: install them by hand" >&2; exit 1; }
    as_root=sudo
fi
retry="-o Acquire::Retries=3"
$as_root apt-get $retry update -q
# The development files of Boost 1.74 (Debian's default) and 1.81 exclude each other.
$as_root env DEBIAN_FRONTEND=noninteractive apt-get $retry install -y -q --no-install-recommends $missing
