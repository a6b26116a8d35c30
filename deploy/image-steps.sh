#!/usr/bin/env bash
# Runs the Dockerfile's build stage as plain commands on this machine, for where no container engine is: CI, and a look at
# what the image would hold. The commands are read out of the Dockerfile, so the two cannot differ.
#
#   deploy/image-steps.sh --print     the commands, not run
#   deploy/image-steps.sh DIRECTORY   runs them in a copy of the repository, puts the result into DIRECTORY, and checks
#                                     that it starts and that the image's second stage has every library it links
set -euo pipefail
cd "$(dirname "$0")/.."
[ $# -eq 1 ] || {
    sed -n '2,8s/^# \{0,1\}//p' "$0" >&2
    exit 2
}

# The RUN instructions of a stage (1 or 2), each on one line.
run_lines() {
    awk -v wanted="$1" '
        { sub(/\r$/, "") }
        /^FROM / { stage++ }
        joined == "" && !/^RUN / { next }
        {
            line = $0
            more = sub(/\\$/, "", line)
            joined = joined line
            if (!more) { if (stage == wanted) { sub(/^RUN /, "", joined); print joined }; joined = "" }
        }' deploy/Dockerfile
}

if [ "$1" = --print ]; then
    run_lines 1
    exit 0
fi

mkdir -p "$1"
out=$(cd "$1" && pwd)
KASIA_REVISION=${KASIA_REVISION:-$(git describe --always --abbrev=12 --exclude='*' --dirty=+ 2>/dev/null || echo unknown)}
export KASIA_REVISION
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# What the image's COPY lines bring along.
cp -r Package.swift Sources Tests LICENSE "$work"
[ ! -f Package.resolved ] || cp Package.resolved "$work"
mkdir -p "$work/deploy/docs" && cp deploy/install-deps.sh "$work/deploy"
cp deploy/docs/operator-guide.md "$work/deploy/docs"
while IFS= read -r command; do
    # The image throws the package lists away; this machine keeps them.
    command=${command//&& rm -rf \/var\/lib\/apt\/lists\/\*/}
    echo "+ $command"
    (cd "$work" && sh -ec "${command//\/out/$out}")
done < <(run_lines 1)

"$out/kasia-push-indexer" --help >/dev/null
HTTP_PORT=1 "$out/kasia-push-indexer" config check

installed=$(run_lines 2 | sed -n 's/.*--no-install-recommends \([^&]*\)&&.*/\1/p')
depended=$(apt-cache depends --recurse --no-recommends --no-suggests --no-conflicts --no-breaks --no-replaces \
    --no-enhances --no-pre-depends $installed | grep '^[a-z]' | sort -u)
missing=0
while read -r library; do
    package=$(dpkg -S "$(readlink -f "$library")" 2>/dev/null || dpkg -S "$library")
    package=${package%%:*}
    grep -qx "$package" <<<"$depended" || {
        echo "image-steps: $library is of $package, which the image does not install" >&2
        missing=1
    }
done < <(ldd "$out/kasia-push-indexer" | awk '$3 ~ /^\// { print $3 }')
[ "$missing" -eq 0 ] || exit 1
echo "$out/kasia-push-indexer: $(stat -c %s "$out/kasia-push-indexer") bytes, every library is in the image"
