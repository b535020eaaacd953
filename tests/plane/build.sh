#!/bin/sh
# Builds one group of the programs that the tests use from other people's Go modules, once, into a cache
# outside the tree, and prints the folder that holds them. Usage: build.sh [server|controllers|helm|promlint]
#   server       kube-apiserver and etcd (the default)
#   controllers  kube-controller-manager and kube-scheduler
#   helm         helm
#   promlint     promlint: what `promtool check metrics` does, of standard input
# The folder's name is the hash of what the group is made from, so a changed version builds anew; an
# interrupted build leaves nothing that looks complete; who comes while another builds waits for it.
# Exit code 3: no Go new enough on this machine.
set -eu

group=${1:-server}
cd "$(dirname "$0")"
module=.
case $group in
    server) programs="kube-apiserver etcd" ;;
    controllers) programs="kube-controller-manager kube-scheduler" ;;
    promlint) programs=promlint ;;
    helm) programs=helm module=helm ;;
    *) echo "no such group: $group" >&2; exit 2 ;;
esac

sources="build.sh $module/go.mod $module/go.sum"
packages=
for program in $programs; do
    if [ "$group" = helm ]; then
        packages=helm.sh/helm/v3/cmd/helm
    else
        sources="$sources $program/main.go"
        packages="$packages ./$program"
    fi
done
# shellcheck disable=SC2086  # lists of words
hash=$(cat $sources | sha256sum | cut -c1-16)
cache="${XDG_CACHE_HOME:-$HOME/.cache}/gang-scheduler/plane"
folder="$cache/$group-$hash"
[ ! -d "$folder" ] || { echo "$folder"; exit 0; }

export GOTOOLCHAIN=local
needed=$(sed -n 's/^go \([0-9]*\.[0-9]*\).*/\1/p' go.mod)
found=$(go env GOVERSION 2>/dev/null | sed 's/^go//') || true
newest=$(printf '%s\n%s\n' "$needed" "${found:-0}" | sort -V | tail -n 1)
if [ -z "$found" ] || [ "$newest" != "$found" ]; then
    echo "Go $needed is needed to build $programs; found: ${found:-none}" >&2
    exit 3
fi

mkdir -p "$cache"
exec 9>"$cache/lock"
flock 9
[ ! -d "$folder" ] || { echo "$folder"; exit 0; }
echo "building $programs once, into $folder" >&2
version=$(sed -n 's/^[[:space:]]*k8s.io\/kubernetes v\(.*\)/\1/p' go.mod)
stamp=k8s.io/component-base/version
temporary=$(mktemp -d "$cache/building.XXXXXX")
trap 'rm -rf "$temporary"' EXIT
cd "$module"
# shellcheck disable=SC2086
go build -trimpath -o "$temporary/" \
    -ldflags="-s -w -X $stamp.gitVersion=v$version -X $stamp.gitMajor=${version%%.*} \
-X $stamp.gitMinor=$(echo "$version" | cut -d. -f2)" \
    $packages >&2
chmod 755 "$temporary"
mv -T "$temporary" "$folder"
echo "$folder"
