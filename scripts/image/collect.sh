#!/bin/sh
# Puts a program, stripped, every shared library that it loads, the licences of both and the manual
# page into an empty folder, as the root of an image. Usage: collect.sh PROGRAM FOLDER
set -eu

program=$1
folder=$2
mkdir -p "$folder/usr/bin" "$folder/etc"
strip -o "$folder/usr/bin/gang-scheduler" "$program"
# "name => /path (address)", and the loader, whose line begins with its path.
ldd "$program" | sed -n 's/.*=> \(\/[^ ]*\) .*/\1/p; s/^[[:space:]]*\(\/[^ ]*\) .*/\1/p' | while read -r library; do
    mkdir -p "$folder$(dirname "$library")"
    cp -L "$library" "$folder$library"
    # The package knows the file by its real name, or by the one that it has through /lib.
    for name in "$library" "$(readlink -f "$library")" "/usr$library"; do
        dpkg -S "$name" 2>/dev/null && break
    done | sed -n 's/^\([^:,]*\)[:,].*/\1/p' | head -n 1 >> "$folder/packages"
done
# What is compiled in: headers, and yaml-cpp.
printf '%s\n' libboost1.81-dev rapidjson-dev libfmt-dev libyaml-cpp-dev >> "$folder/packages"
sort -u "$folder/packages" | while read -r package; do
    mkdir -p "$folder/usr/share/doc/$package"
    cp -L "/usr/share/doc/$package/copyright" "$folder/usr/share/doc/$package/copyright"
done
rm "$folder/packages"
mkdir -p "$folder/usr/share/doc/gang-scheduler" "$folder/usr/share/man/man1"
cp "$(dirname "$0")/../../LICENSE" "$folder/usr/share/doc/gang-scheduler/copyright"
"$program" man > "$folder/usr/share/man/man1/gang-scheduler.1"
echo 'scheduler:x:65532:65532::/:/sbin/nologin' > "$folder/etc/passwd"
echo 'scheduler:x:65532:' > "$folder/etc/group"
