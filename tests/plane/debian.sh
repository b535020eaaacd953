#!/bin/sh
# Unpacks the program of a Debian package of the same name, once, into a cache outside the tree, and prints its
# folder; nothing is installed. Usage: debian.sh PACKAGE
# An interrupted run leaves nothing that looks complete; who comes while another unpacks waits for it.
# On failure the last line on standard error says why.
set -eu

package=$1
cache="${XDG_CACHE_HOME:-$HOME/.cache}/gang-scheduler/plane"
folder="$cache/debian-$package"
[ ! -d "$folder" ] || { echo "$folder"; exit 0; }

mkdir -p "$cache"
exec 9>"$cache/lock-$package"
flock 9
[ ! -d "$folder" ] || { echo "$folder"; exit 0; }
echo "unpacking Debian's package $package once, into $folder" >&2
temporary=$(mktemp -d "$cache/unpacking.XXXXXX")
trap 'rm -rf "$temporary"' EXIT
if ! said=$(cd "$temporary" && apt-get -o Acquire::Retries=3 download "$package" 2>&1); then
    echo "Debian's package $package cannot be had: $(printf '%s' "$said" | tail -n 1)" >&2
    exit 1
fi
dpkg-deb -x "$temporary/$package"_*.deb "$temporary/files"
mkdir "$temporary/made"
mv "$temporary/files/usr/bin/$package" "$temporary/made/"
chmod 755 "$temporary/made"
mv -T "$temporary/made" "$folder"
echo "$folder"
