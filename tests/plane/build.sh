#!/bin/sh
# Builds the real kube-apiserver and etcd, once, into a cache outside the tree, and prints the folder
# that holds the two programs. The folder's name is the hash of what they are made from, so a changed
# version builds anew and an interrupted build leaves nothing that looks complete.
# Exit code 3: no Go new enough on this machine.
set -eu

cd "$(dirname "$0")"
hash=$(cat go.mod go.sum kube-apiserver/main.go etcd/main.go build.sh | sha256sum | cut -c1-16)
cache="${XDG_CACHE_HOME:-$HOME/.cache}/gang-scheduler/plane"
if [ -x "$cache/$hash/kube-apiserver" ] && [ -x "$cache/$hash/etcd" ]; then
    echo "$cache/$hash"
    exit 0
fi

export GOTOOLCHAIN=local
needed=$(sed -n 's/^go \([0-9]*\.[0-9]*\).*/\1/p' go.mod)
found=$(go env GOVERSION 2>/dev/null | sed 's/^go//') || true
newest=$(printf '%s\n%s\n' "$needed" "${found:-0}" | sort -V | tail -n 1)
if [ -z "$found" ] || [ "$newest" != "$found" ]; then
    echo "Go $needed is needed to build the real API server; found: ${found:-none}" >&2
    exit 3
fi

echo "building kube-apiserver and etcd once, into $cache/$hash (about 5 minutes)" >&2
version=$(sed -n 's/^[[:space:]]*k8s.io\/kubernetes v\(.*\)/\1/p' go.mod)
stamp=k8s.io/component-base/version
mkdir -p "$cache"
temporary=$(mktemp -d "$cache/building.XXXXXX")
trap 'rm -rf "$temporary"' EXIT
go build -trimpath -o "$temporary/" \
    -ldflags="-s -w -X $stamp.gitVersion=v$version -X $stamp.gitMajor=${version%%.*} \
-X $stamp.gitMinor=$(echo "$version" | cut -d. -f2)" \
    ./kube-apiserver ./etcd >&2
chmod 755 "$temporary"
# Somebody else may have finished the same build meanwhile: theirs is as good as ours.
mv -T "$temporary" "$cache/$hash" 2>/dev/null || [ -x "$cache/$hash/etcd" ]
echo "$cache/$hash"
