#!/bin/sh
# Installs what building and running the indexer needs from Debian, if it is missing, and checks the Swift toolchain.
# Run again at any time: with nothing to do it prints nothing and changes nothing.
#
#   deploy/install-deps.sh           libraries, linker, make
#   deploy/install-deps.sh --tests   also what some tests look through: a browser, a validator of JSON Schema, a
#                                    PostgreSQL server, etcd, and what makes Python environments for tests that need
#                                    more from PyPI (Tests/python.sh)
#   deploy/install-deps.sh --proto   also the protobuf compiler, which only `make proto` needs
set -eu

packages="librocksdb-dev libjemalloc-dev libcurl4-openssl-dev libnghttp2-dev libssl-dev libsecp256k1-dev libsqlite3-dev libpq-dev pkg-config zlib1g-dev g++ make"
swift_needed="6.2"

fail() {
    printf 'install-deps: %s\n' "$*" >&2
    exit 1
}

for argument in "$@"; do
    case "$argument" in
    --tests) packages="$packages chromium python3-jsonschema python3-venv postgresql etcd-server" ;;
    --proto) packages="$packages protobuf-compiler" ;;
    *) fail "unknown option $argument; the options are --tests and --proto" ;;
    esac
done

is_installed() {
    [ "$(dpkg-query -W -f='${db:Status-Status}' "$1" 2>/dev/null || true)" = installed ]
}

if command -v dpkg-query >/dev/null 2>&1 && command -v apt-get >/dev/null 2>&1; then
    missing=""
    for package in $packages; do
        is_installed "$package" || missing="$missing $package"
    done
    if [ -n "$missing" ]; then
        as_root=""
        if [ "$(id -u)" -ne 0 ]; then
            command -v sudo >/dev/null 2>&1 ||
                fail "these packages are missing and only root can install them:$missing"
            as_root="sudo"
        fi
        printf 'install-deps: installing%s\n' "$missing" >&2
        # Package names hold no spaces or wildcards: splitting at spaces is meant.
        # shellcheck disable=SC2086
        install() { $as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends $missing; }
        # A fresh image has no package lists, an old one has lists of versions that are gone: refresh only then.
        # shellcheck disable=SC2086
        if ! install >/dev/null 2>&1; then
            $as_root apt-get update >&2 || fail "apt-get update failed; these packages are missing:$missing"
            install >&2 || fail "apt-get could not install:$missing"
        fi
    fi
else
    absent=""
    for library in rocksdb jemalloc libcurl libnghttp2 libssl libsecp256k1 libpq zlib; do
        pkg-config --exists "$library" 2>/dev/null || absent="$absent $library"
    done
    if [ -n "$absent" ]; then
        fail "this is not Debian; install the development files of$absent with your package manager" \
            "(on Debian the packages are: $packages)"
    fi
fi

command -v swift >/dev/null 2>&1 ||
    fail "Swift $swift_needed or later is needed and \`swift\` is not in the PATH; see https://www.swift.org/install/linux/"
version=$(swift --version 2>/dev/null | sed -n 's/.*Swift version \([0-9][0-9]*\.[0-9][0-9]*\).*/\1/p' | head -n 1)
[ -n "$version" ] || fail "\`swift --version\` does not say a version; Swift $swift_needed or later is needed"
if [ "${version%%.*}" -lt "${swift_needed%%.*}" ] ||
    { [ "${version%%.*}" -eq "${swift_needed%%.*}" ] && [ "${version#*.}" -lt "${swift_needed#*.}" ]; }; then
    fail "Swift $version is too old; $swift_needed or later is needed: https://www.swift.org/install/linux/"
fi
