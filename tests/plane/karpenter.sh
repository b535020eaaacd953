#!/bin/sh
# Builds Karpenter with its provider of nodes without machines, once, into the cache of build.sh, and prints the
# folder: `karpenter`, and its custom resource definitions in crds/. On failure the last line on standard error says why.
set -eu

cd "$(dirname "$0")"
cache="${XDG_CACHE_HOME:-$HOME/.cache}/gang-scheduler/plane"
folder="$cache/karpenter-$(cat karpenter.sh karpenter/go.mod karpenter/go.sum | sha256sum | cut -c1-16)"
[ ! -d "$folder" ] || { echo "$folder"; exit 0; }

mkdir -p "$cache"
exec 9>"$cache/karpenter.lock"
flock 9
[ ! -d "$folder" ] || { echo "$folder"; exit 0; }
go=$(./go.sh)
export GOTOOLCHAIN=local
unset GOROOT
temporary=$(mktemp -d "$cache/building.XXXXXX")
trap 'rm -rf "$temporary"' EXIT
cd karpenter
if ! "$go" build -trimpath -o "$temporary/karpenter" sigs.k8s.io/karpenter/kwok >&2; then
    echo "the Go modules of Karpenter cannot be had" >&2
    exit 1
fi
mkdir "$temporary/crds"
module=$("$go" list -m -f '{{.Dir}}' sigs.k8s.io/karpenter)
cp "$module"/kwok/charts/crds/*.yaml "$module"/kwok/apis/crds/*.yaml "$temporary/crds"
chmod 644 "$temporary/crds"/*
chmod 755 "$temporary"
mv -T "$temporary" "$folder"
echo "$folder"
