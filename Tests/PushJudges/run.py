#!/usr/bin/env python3
"""Libraries by others judge what goes to Google and to browsers. Prints a line a claim; fails if one does not hold.

    Tests/python.sh PushJudges && .build/python/PushJudges/bin/python Tests/PushJudges/run.py [--executables FOLDER]

google-auth and firebase-admin, which are Google's, read the stand-in's answers (google_clients.py). pywebpush and
py-vapid send to it (push_clients.py). The service tells a recorded chain to browsers whose keys are made here, and
http-ece, py-vapid and PyJWT read what comes; cryptography checks the signatures of the pushes (service_messages.py).
"""
import argparse
import os
import pathlib
import signal
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "AppsInTheField"))

import process  # noqa: E402
from claims import Claims, equal  # noqa: E402

try:
    import over_http2
    from browser import PushService
    import google_clients
    import programs
    import push_clients
    import service_messages
except ImportError as error:
    missing = error
else:
    missing = None


class World:
    """All programs; whoever makes it ends them with `process.end_all`."""

    def __init__(self, executables, folder):
        self.stand_in = programs.StandIn(executables, folder)
        # For httpx, with which firebase-admin speaks HTTP/2.
        os.environ["SSL_CERT_FILE"] = self.stand_in.ca_file
        self.stand_in.client = over_http2.install(self.stand_in.ca_file)
        self.push_service = PushService(folder)
        self.node = programs.Node(executables, folder)
        self.service = programs.Service(executables, folder, self.node, self.stand_in, self.push_service)


def judge(claims, executables, folder):
    world = None
    with claims.claim("the stand-in, the node and the service start"):
        world = World(executables, folder)
    if world is None:
        return
    for play, *arguments in [
        (google_clients.play, world.stand_in), (push_clients.play, world.stand_in, world.service),
        (service_messages.play, world.stand_in, world.push_service, world.node, world.service),
    ]:
        with claims.claim(f"{play.__module__} comes to its end"):
            play(claims, *arguments)
    if claims.failed:
        print(f"\nThe indexer's last words:\n{world.service.process.log[-6000:]}", flush=True)
    with claims.claim("at SIGTERM each ends by itself, with status 0"):
        equal([one.process.end() for one in (world.service, world.node, world.stand_in)], [0, 0, 0])
    world.push_service.close()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--executables", default=str(HERE.parent.parent / ".build" / "debug"))
    options = parser.parse_args()
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    if missing:
        print(f"FAIL PushJudges: this Python lacks a package: {missing}; Tests/python.sh PushJudges installs it")
        return 1
    claims = Claims()
    try:
        with tempfile.TemporaryDirectory(prefix="push-judges-", ignore_cleanup_errors=True) as folder:
            judge(claims, str(pathlib.Path(options.executables).resolve()), folder)
    except KeyboardInterrupt:
        print("interrupted", flush=True)
        claims.failed += 1
    finally:
        process.end_all()
    print(f"{claims.passed} passed, {claims.failed} failed")
    if claims.failed or not claims.passed:
        print(f"FAIL PushJudges: {claims.failed} of {claims.passed + claims.failed} claims do not hold")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
