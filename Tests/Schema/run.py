#!/usr/bin/env python3
"""The service against its own description, by schemathesis. Prints a line an operation; fails if one breaks its word.

The files that the API serves are checked first (assets.py).

    Tests/python.sh Schema && .build/python/Schema/bin/python Tests/Schema/run.py [--executables FOLDER] [--seed N]
                                                                        [--examples N] [--only PATH]
"""
import argparse
import importlib.util
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path.insert(0, str(HERE.parent / "AppsInTheField"))

import assets  # noqa: E402
import process  # noqa: E402
from call import Caller  # noqa: E402
from claims import Claims, equal, expect  # noqa: E402

# Always the same requests, so that a change that breaks a promise is the one that fails.
SEED = 20
EXAMPLES = 20
# It takes some 45 s on two idle cores.
LIMIT_SECONDS = 300
# The streams are left out (schemathesis.toml). schemathesis has read the document, and does not ask for it again.
NOT_ASKED = {"/v1/activity/stream", "/status/stream", "/openapi.json"}


def start(executables, folder):
    """The service with an empty store, without Apple, beside a node that refuses, and without limits of calls."""
    environment = {
        "NETWORK_TYPE": "mainnet", "NODE_URLS": "http://127.0.0.1:1", "HTTP_PORT": "0",
        "STORE_PATH": os.path.join(folder, "store"), "STORE_MIN_FREE_SPACE": "0", "HTTP_RATE_LIMIT_PER_MINUTE": "0",
    }
    path = os.path.join(os.path.abspath(executables), "kasia-push-indexer")
    service = process.Process([path, "serve"], folder, "indexer", environment)
    return service, int(service.line(r"api\.listening .*port=(\d+)\n")[1])


def ask(options, folder, port):
    """Lets schemathesis ask; its output, and its report."""
    url, report = f"http://127.0.0.1:{port}", os.path.join(folder, "report.json")
    arguments = [
        sys.executable, "-c", "from schemathesis.cli import schemathesis; schemathesis()", "--config-file",
        str(HERE / "schemathesis.toml"), "run", f"{url}/openapi.json", "--checks", "all", "--no-color",
        "--seed", str(options.seed), "--max-examples", str(options.examples), "--generation-database", "none",
        "--report", "json", "--report-json-path", report,
    ]
    for path in options.only or ():
        arguments += ["--include-path", path]
    environment = {
        **os.environ, "SERVICE_URL": url, "TEST_SEED": str(options.seed), "SCHEMATHESIS_HOOKS": str(HERE / "hooks.py"),
        "PYTHONDONTWRITEBYTECODE": "1",
    }
    ended = subprocess.run(
        arguments, cwd=folder, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT, timeout=LIMIT_SECONDS)
    print(ended.stdout.decode(errors="replace"), flush=True)
    with open(report, encoding="utf-8") as file:
        return ended.returncode, json.load(file)


def described(port, only):
    """The operations of the document, or of the paths `only`, that are asked."""
    paths = Caller(port).get("/openapi.json").json["paths"]
    wanted = set(only or paths) - NOT_ASKED
    return {f"{method.upper()} {path}" for path in wanted for method in paths[path]}


def judge(claims, operations, status, report):
    for operation in sorted(operations):
        broken = [failure["title"] for failure in report["failures"] if operation in failure["operations"]]
        with claims.claim(f"{operation} does what the document says"):
            equal(broken, [])
    with claims.claim("every operation was asked"):
        equal(report["operations"]["tested"], len(operations))
    with claims.claim("schemathesis came to its end, without errors and warnings"):
        expect(report["complete"] and not report["errors"], report["errors"])
        expect(status == 0 or report["failures"], f"exit status {status}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--executables", default=str(ROOT / ".build" / "debug"))
    parser.add_argument("--seed", type=int, default=int(os.environ.get("TEST_SEED") or SEED))
    parser.add_argument("--examples", type=int, default=EXAMPLES, help="of each operation, beside its schema's limits")
    parser.add_argument("--only", action="append", help="a path; may be repeated")
    options = parser.parse_args()
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    if not importlib.util.find_spec("schemathesis"):
        print("FAIL Schema: this Python has no schemathesis; Tests/python.sh Schema makes one that has it")
        return 1
    claims = Claims()
    assets.judge(claims)
    print(f"TEST_SEED={options.seed}", flush=True)
    try:
        with tempfile.TemporaryDirectory(prefix="schema-", ignore_cleanup_errors=True) as folder:
            service, port = start(options.executables, folder)
            with claims.claim(f"schemathesis is done within {LIMIT_SECONDS} s"):
                judge(claims, described(port, options.only), *ask(options, folder, port))
            if claims.failed:
                print(f"\nThe indexer's last words:\n{service.log[-3000:]}", flush=True)
            with claims.claim("the service is there to the end, and ends with status 0"):
                expect(service.is_running, "it has ended")
                equal(service.end(), 0, "exit status")
    except KeyboardInterrupt:
        print("interrupted", flush=True)
        claims.failed += 1
    finally:
        process.end_all()
    print(f"{claims.passed} passed, {claims.failed} failed")
    return 1 if claims.failed or not claims.passed else 0


if __name__ == "__main__":
    sys.exit(main())
