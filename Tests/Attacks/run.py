#!/usr/bin/env python3
"""Attacks on the real executables: what is refused, what is queued, and that nothing is lost.

    run.py [--only ROW] [--full] [--executables FOLDER] [--seed N]

The small form counts and asserts; it asserts no time. With --full each attack runs for five minutes beside honest
traffic, and a table of the honest figures, before and under the attack, is printed.
"""
import argparse
import os
import pathlib
import random
import secrets
import signal
import sys
import traceback

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "AppsInTheField")]

import process  # noqa: E402
from claims import Claims  # noqa: E402
from honest import Honest, table  # noqa: E402
from rows import ROWS  # noqa: E402
from services import Services  # noqa: E402

FULL_SECONDS = int(os.environ.get("ATTACK_SECONDS", 300))


def each(options, claims, play):
    """Prepares each wanted row on services of its own and plays it; what fails is told, and the next one begins."""
    for row, attack in ROWS:
        if options.only and row not in options.only:
            continue
        services = Services(os.path.abspath(options.executables), random.Random(options.seed))
        try:
            attack.prepare(services)
            play(row, attack, services)
        except Exception:
            claims.failed += 1
            print(f"FAIL row {row}:\n{traceback.format_exc()}\n{services.indexer.log[-3000:]}", flush=True)
        finally:
            process.end_all()


def small(options, claims):
    def play(row, attack, services):
        attack.small(claims, services)
        with claims.claim(f"row {row}: the service has not ended, and ends with status 0"):
            services.close()

    each(options, claims, play)


def full(options, claims):
    figures = []

    def play(row, attack, services):
        before = Honest(services).run(FULL_SECONDS / 10)
        under = Honest(services).run(
            FULL_SECONDS, attack.load(services), lambda: getattr(attack, "transactions", lambda _: [])(services))
        figures.append((row, before, under))
        print(table(figures[-1:]), flush=True)
        services.close()

    each(options, claims, play)
    print(table(figures), flush=True)
    claims.passed += len(figures)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--executables", default=str(HERE.parent.parent / ".build" / "debug"))
    parser.add_argument("--seed", type=int, default=int(os.environ.get("TEST_SEED") or secrets.randbits(32)))
    parser.add_argument("--only", action="append", type=int, help="a row of the table; may be repeated")
    parser.add_argument("--full", action="store_true", help="five minutes an attack, with figures")
    options = parser.parse_args()
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    claims = Claims()
    print(f"TEST_SEED={options.seed}", flush=True)
    try:
        (full if options.full else small)(options, claims)
    except KeyboardInterrupt:
        print("interrupted", flush=True)
        claims.failed += 1
    finally:
        process.end_all()
    print(f"{claims.passed} passed, {claims.failed} failed")
    return 1 if claims.failed or not claims.passed else 0


if __name__ == "__main__":
    sys.exit(main())
