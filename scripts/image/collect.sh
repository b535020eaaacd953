#!/bin/sh
# Puts a program, stripped, every shared library that it loads, the licences of both, the list of what
# is inside and the manual page into an empty folder, as the root of an image.
# Usage: collect.sh PROGRAM FOLDER
set -eu

program=$1
folder=$2
here=$(dirname "$0")
documents=$folder/usr/share/doc
texts=/usr/share/common-licenses
# What is compiled in: headers; the archives of yaml-cpp and of Boost's program options; and what the
# compiler and the C library put into every program.
compiled_in="libboost1.81-dev libboost-program-options1.81-dev rapidjson-dev libfmt-dev libyaml-cpp-dev
             prometheus-cpp-dev libssl-dev libstdc++-12-dev libgcc-12-dev libc6-dev"

# A line is how a package is part of the image, its name, and the file that is inside.
packages=$(mktemp)
trap 'rm -f "$packages"' EXIT

# The package of a file, which knows it by its real name, or by the one that it has through /lib.
owner() {
    for name in "$1" "$(readlink -f "$1")" "/usr$1"; do
        dpkg -S "$name" 2>/dev/null && break
    done | sed -n 's/^\([a-z0-9+.-]*\)[:,].*/\1/p' | head -n 1
}

add() {
    package=$(owner "$2")
    [ -n "$package" ] || { echo "$0: $2 is of no Debian package" >&2; exit 1; }
    mkdir -p "$folder$(dirname "$2")"
    cp -L "$2" "$folder$2"
    echo "$1 $package $2" >> "$packages"
}

mkdir -p "$folder/usr/bin" "$folder/etc" "$folder/usr/share/man/man1" "$documents/gang-scheduler"
strip -o "$folder/usr/bin/gang-scheduler" "$program"
# "name => /path (address)", and the loader, whose line begins with its path.
ldd "$program" | sed -n 's/.*=> \(\/[^ ]*\) .*/\1/p; s/^[[:space:]]*\(\/[^ ]*\) .*/\1/p' |
    while read -r library; do add DYNAMIC_LINK "$library"; done
for package in $compiled_in; do echo "STATIC_LINK $package"; done >> "$packages"

# base-files has the texts of the licences, which stand below.
{ cut -d ' ' -f 2 "$packages"; echo base-files; } | sort -u | while read -r package; do
    mkdir "$documents/$package"
    # Packages of one source have one text, of 2 MB for Boost; it is there once.
    for other in "$documents"/*/copyright; do
        cmp -s "$other" "/usr/share/doc/$package/copyright" || continue
        ln -s "../$(basename "$(dirname "$other")")/copyright" "$documents/$package/copyright"
        break
    done
    [ -e "$documents/$package/copyright" ] ||
        cp -L "/usr/share/doc/$package/copyright" "$documents/$package/copyright"
done
cp "$here/../../LICENSE" "$documents/gang-scheduler/copyright"
# The texts that these refer to, by a path that a full stop may follow.
cat "$documents"/*/copyright | grep -o "$texts/[A-Za-z0-9.+-]*" | sed 's/\.$//' | sort -u |
    while read -r text; do add CONTAINS "$text"; done

"$program" man > "$folder/usr/share/man/man1/gang-scheduler.1"
echo 'scheduler:x:65532:65532::/:/sbin/nologin' > "$folder/etc/passwd"
echo 'scheduler:x:65532:' > "$folder/etc/group"
"$here/sbom.py" "$program" "$folder" < "$packages" > "$documents/gang-scheduler/sbom.spdx.json"
