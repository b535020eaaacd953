#!/bin/sh
# Puts a program, stripped, and every shared library that it loads into an empty folder, as the root
# of an image. Usage: collect.sh PROGRAM FOLDER
set -eu

program=$1
folder=$2
mkdir -p "$folder/usr/bin" "$folder/etc"
strip -o "$folder/usr/bin/gang-scheduler" "$program"
# "name => /path (address)", and the loader, whose line begins with its path.
ldd "$program" | sed -n 's/.*=> \(\/[^ ]*\) .*/\1/p; s/^[[:space:]]*\(\/[^ ]*\) .*/\1/p' | while read -r library; do
    mkdir -p "$folder$(dirname "$library")"
    cp -L "$library" "$folder$library"
done
echo 'scheduler:x:65532:65532::/:/sbin/nologin' > "$folder/etc/passwd"
echo 'scheduler:x:65532:' > "$folder/etc/group"
