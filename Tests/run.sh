#!/usr/bin/env bash
# Runs the tests target by target, the tests of each in parallel: hundreds of servers and clients at once would measure
# the machine. What failed is said again at the end. Arguments are targets; without, all of them. The last are in Python
# and run against the executables: AppsInTheField, apps of today; NodeClients, a node client by others; Attacks; Schema,
# schemathesis, and checkers of the files that the API serves; PushJudges, libraries by others that read what goes to
# Google and to browsers. What three of them need from PyPI is installed once (python.sh); where that fails, they fail.
# Cluster is the test of IntegrationTests whose database is three servers under Patroni, which comes from PyPI too.
# A name that ends with OnPostgreSQL is that target with its stores on the other engine; of IntegrationTests those that
# stop, kill and restart, and that push from end to end.
set -uo pipefail
cd "$(dirname "$0")/.."
# Tests at once: each test service has a store with files that stay open, and each test of IntegrationTests processes of
# its own, which have to be served in time. Opening a store in PostgreSQL blocks a thread for a moment.
width() { case "$1" in IntegrationTests*) echo 12 ;; PostgresStoreTests | StoreTestsOnPostgreSQL) echo 8 ;; *) echo 64 ;; esac; }
# What is run of a target: a filter of swift test.
tests() {
    case "$1" in
    IntegrationTestsOnPostgreSQL) echo '^IntegrationTests\.(Crash|Executable|StoppedProcess|RecordedBlocks|GeneratedChain|WatchOnly|StatusPage)' ;;
    *) echo "^${1%OnPostgreSQL}\\." ;;
    esac
}
logs=.build/test-logs
mkdir -p "$logs"
targets=("$@")
if [ ${#targets[@]} -eq 0 ]; then
    for folder in Tests/*Tests Tests/App/*Tests; do targets+=("${folder##*/}"); done
    targets+=({Store,Indexer,Push,Integration}TestsOnPostgreSQL)
    targets+=(Cluster AppsInTheField NodeClients Attacks AttacksOnPostgreSQL Schema PushJudges)
fi
failed=()
for target in "${targets[@]}"; do
    engine=${KASIA_TEST_ENGINE:-rocksdb}
    case "$target" in *OnPostgreSQL) engine=postgres ;; esac
    case "$target" in
    AppsInTheField | Attacks | AttacksOnPostgreSQL)
        KASIA_TEST_ENGINE=$engine python3 "Tests/${target%OnPostgreSQL}/run.py"
        ;;
    Cluster)
        # The system's Python: Patroni runs as PostgreSQL's user, who cannot use one in somebody's home.
        PATH=/usr/bin:$PATH Tests/python.sh Cluster && CLUSTER_TEST_ROUNDS=${CLUSTER_TEST_ROUNDS:-5} \
            swift test --skip-build --filter '^IntegrationTests\.ClusterTests'
        ;;
    NodeClients | Schema | PushJudges)
        Tests/python.sh "$target" && ".build/python/$target/bin/python" "Tests/$target/run.py"
        ;;
    *)
        KASIA_TEST_ENGINE=$engine SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH=$(width "$target") \
            swift test --skip-build --filter "$(tests "$target")"
        ;;
    esac 2>&1 | tee "$logs/$target.log" || failed+=("$target")
done
[ ${#failed[@]} -eq 0 ] && exit 0
for target in "${failed[@]}"; do
    echo "failed: $target"
    grep -a -e '✘' -e '^FAIL' -e 'TEST_SEED=' -e 'Fatal error' -e 'error:' -e 'unexpected signal' "$logs/$target.log" | tail -n 40
done
exit 1
