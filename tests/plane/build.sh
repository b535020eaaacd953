#!/bin/sh
# Builds groups of the programs that the tests use from other people's Go modules, each once, into a cache
# outside the tree, and prints the folder of each. Usage: build.sh [--plane 1.36] [GROUP...]; no group means all.
# --plane: the first three of the version before, by the modules in the folder of that name, from the same mains.
#   server       kube-apiserver and etcd
#   controllers  kube-controller-manager and kube-scheduler
#   kubectl      kubectl
#   promlint     promlint: what `promtool check metrics` does, of standard input
#   helm         helm
# The folder's name is the hash of what the group is made from, so a changed version builds anew; an
# interrupted build leaves nothing that looks complete; who comes while another builds waits for it.
# On failure the last line on standard error says why.
set -eu

cd "$(dirname "$0")"
cache="${XDG_CACHE_HOME:-$HOME/.cache}/gang-scheduler/plane"
versions=.  # the folder with go.mod and go.sum of the plane
if [ "${1:-}" = --plane ]; then
    versions=${2:?--plane wants a version}
    shift 2
    [ -f "$versions/go.mod" ] || { echo "no modules of a plane $versions in $PWD" >&2; exit 2; }
    [ $# -gt 0 ] || set -- server controllers kubectl
fi
[ $# -gt 0 ] || set -- server controllers kubectl promlint helm

# A subshell: what it changes and locks is its own.
provide() (
    group=$1
    module=$versions
    case $group in
        server) programs="kube-apiserver etcd" ;;
        controllers) programs="kube-controller-manager kube-scheduler" ;;
        kubectl | promlint) programs=$group ;;
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
    folder="$cache/$group-$hash"
    [ ! -d "$folder" ] || { echo "$folder"; exit 0; }

    mkdir -p "$cache"
    exec 9>"$cache/lock"
    flock 9
    [ ! -d "$folder" ] || { echo "$folder"; exit 0; }
    go=$(./go.sh)
    echo "building $programs once, into $folder" >&2
    version=$(sed -n 's/^[[:space:]]*k8s.io\/kubernetes v\(.*\)/\1/p' "$versions/go.mod")
    stamp=k8s.io/component-base/version
    export GOTOOLCHAIN=local
    unset GOROOT
    temporary=$(mktemp -d "$cache/building.XXXXXX")
    trap 'rm -rf "$temporary"' EXIT
    modules=
    if [ "$group" = helm ]; then cd helm; else modules=-modfile=$versions/go.mod; fi
    # What the registry does not give at once it gives the next time.
    tries=3
    # shellcheck disable=SC2086
    until said=$("$go" list $modules -deps $packages 2>&1 >/dev/null); do
        tries=$((tries - 1))
        if [ $tries = 0 ]; then
            echo "the Go modules of $programs cannot be had: $(printf '%s' "$said" | tail -n 1)" >&2
            exit 1
        fi
    done
    # Nobody debugs them: without DWARF they compile in a seventh less time.
    # shellcheck disable=SC2086
    "$go" build $modules -trimpath -gcflags=all=-dwarf=false -o "$temporary/" \
        -ldflags="-s -w -X $stamp.gitVersion=v$version -X $stamp.gitMajor=${version%%.*} \
-X $stamp.gitMinor=$(echo "$version" | cut -d. -f2)" \
        $packages >&2
    chmod 755 "$temporary"
    mv -T "$temporary" "$folder"
    echo "$folder"
)

for group in "$@"; do
    provide "$group"
done
