#!/bin/sh
# Unpacks prometheus and promtool of Debian's package once, into a cache outside the tree, and prints the folder
# that has both. Not installed: the package would start a service. On failure the last line on standard error says why.
set -eu

cache="${XDG_CACHE_HOME:-$HOME/.cache}/gang-scheduler/plane"
folder="$cache/prometheus-debian12"
mkdir -p "$cache"
exec 9>"$cache/prometheus.lock"
flock 9
[ ! -d "$folder" ] || { echo "$folder"; exit 0; }
temporary=$(mktemp -d "$cache/building.XXXXXX")
trap 'rm -rf "$temporary"' EXIT
cd "$temporary"
echo "downloading Debian's package prometheus once, into $folder" >&2
download() { apt-get -q -o Acquire::Retries=3 download prometheus >&2; }
update() { $as_root apt-get -q -o Acquire::Retries=3 update >&2; }
as_root=
[ "$(id -u)" = 0 ] || as_root="sudo -n"
# A slim image has no lists of packages, and an old list names a version that is gone.
download || { update && download; } || { echo "apt-get cannot download Debian's package prometheus" >&2; exit 1; }
dpkg-deb -x prometheus_*.deb unpacked
chmod 755 unpacked/usr/bin
mv unpacked/usr/bin "$folder"
echo "$folder"
