#!/bin/sh
# Makes the Python environment of a target of the tests: .build/python/TARGET, with what Tests/TARGET/requirements.txt
# lists. With nothing to do it prints nothing and takes a tenth of a second; the first time it needs PyPI.
#
#   Tests/python.sh TARGET
set -eu
target=$1
cd "$(dirname "$0")/.."
requirements=Tests/$target/requirements.txt
environment=.build/python/$target

fail() {
    printf 'FAIL %s: %s\n' "$target" "$*" >&2
    exit 1
}

# The copy of the list is written last: an installation that was broken off is begun again, and so is one of a Python
# that is no longer there.
if cmp -s "$requirements" "$environment/requirements.txt" && "$environment/bin/python" -c 'import pip' 2>/dev/null; then
    exit 0
fi
[ -f "$requirements" ] || fail "there is no $requirements"
command -v python3 >/dev/null 2>&1 || fail "python3 is missing (Debian: apt-get install python3 python3-venv)"
rm -rf "$environment"
mkdir -p .build/python
python3 -m venv "$environment" ||
    fail "no Python environment could be made in $environment (Debian: apt-get install python3-venv)"
printf '%s: installing the packages of %s\n' "$target" "$requirements" >&2
"$environment/bin/python" -m pip install --quiet --disable-pip-version-check --no-input --only-binary :all: \
    --ignore-requires-python --retries 2 --timeout 30 --requirement "$requirements" >&2 ||
    fail "pip could not install the packages of $requirements. PyPI is needed once: run Tests/python.sh $target where" \
        "it can be reached"
cp "$requirements" "$environment/requirements.txt"
