#!/usr/bin/env bash
# Runs the tests target by target, the tests of each in parallel: hundreds of servers and clients at once would measure
# the machine. What failed is said again at the end. Arguments are targets; without, all of them. AppsInTheField is the
# last but one: apps of today, in Python, against the executables; Attacks, in their manner, is the last.
set -uo pipefail
cd "$(dirname "$0")/.."
logs=.build/test-logs
mkdir -p "$logs"
targets=("$@")
if [ ${#targets[@]} -eq 0 ]; then
    for folder in Tests/*Tests; do targets+=("${folder#Tests/}"); done
    targets+=(AppsInTheField Attacks)
fi
failed=()
for target in "${targets[@]}"; do
    if [ "$target" = AppsInTheField ] || [ "$target" = Attacks ]; then
        python3 "Tests/$target/run.py"
    else
        swift test --skip-build --filter "^$target\."
    fi 2>&1 | tee "$logs/$target.log" || failed+=("$target")
done
[ ${#failed[@]} -eq 0 ] && exit 0
for target in "${failed[@]}"; do
    echo "failed: $target"
    grep -a -e '✘' -e '^FAIL' -e 'TEST_SEED=' -e 'Fatal error' -e 'error:' -e 'unexpected signal' "$logs/$target.log" | tail -n 40
done
exit 1
