#!/usr/bin/env python3
"""The apps of today against the real executables. Prints a line a claim; fails if one does not hold.

    run.py [--executables FOLDER] [--seed N] [--only LIFE]
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
sys.path.insert(0, str(HERE))

import process  # noqa: E402
from claims import Claims, Stuck  # noqa: E402
from lives import LIVES  # noqa: E402
from services import Services  # noqa: E402


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--executables", default=str(HERE.parent.parent / ".build" / "debug"))
    parser.add_argument("--seed", type=int, default=int(os.environ.get("TEST_SEED") or secrets.randbits(32)))
    parser.add_argument("--only", action="append", help="a life, as LIVES names it; may be repeated")
    options = parser.parse_args()
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    claims, services = Claims(), None
    print(f"TEST_SEED={options.seed}", flush=True)
    try:
        for name, live, needs_services in LIVES:
            if options.only and name not in options.only:
                continue
            if needs_services and services is None:
                services = Services(options.executables, random.Random(options.seed))
            try:
                live(claims, services)
            except Exception as error:
                claims.failed += 1
                print(f"FAIL {name}: this life could not be played to its end:\n{traceback.format_exc()}", flush=True)
                if isinstance(error, Stuck) or not services.indexer.is_running:
                    break
        if claims.failed and services:
            print(f"\nThe indexer's last words:\n{services.indexer.log[-6000:]}", flush=True)
        if services:
            with claims.claim("at SIGTERM the service ends by itself, with status 0"):
                services.close()
    except KeyboardInterrupt:
        print("interrupted", flush=True)
        claims.failed += 1
    finally:
        process.end_all()
    print(f"{claims.passed} passed, {claims.failed} failed")
    return 1 if claims.failed or not claims.passed else 0


if __name__ == "__main__":
    sys.exit(main())
