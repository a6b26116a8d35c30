"""What honest apps see meanwhile: figures for people, never for a test."""
import http.client
import multiprocessing
import os
import re
import threading
import time

from claims import Broken, eventually, expect
from payload import contextual
from services import LEAD_MILLISECONDS, PATIENCE_SECONDS


def p99(values):
    values = sorted(values)
    return values[min(len(values) - 1, int(len(values) * 0.99))] * 1000 if values else float("nan")


class Load:
    """Bounded load in threads of another process, so that it does not share Python's lock with what is measured.

    Each thread repeats its call until the end; a pause keeps one from taking a whole core.
    """

    def __init__(self, calls, pause=0.0):
        self.calls, self.pause = calls, pause

    def start(self, services, seconds):
        """Returns a function that waits for the end and answers how often each status came."""
        context = multiprocessing.get_context("fork")
        receiver, sender = context.Pipe(duplex=False)
        process = context.Process(target=self._play, args=(services, seconds, sender), daemon=True)
        process.start()

        def wait():
            statuses = receiver.recv() if receiver.poll(seconds + PATIENCE_SECONDS) else "the load has not ended"
            process.join(1)
            process.kill()
            return statuses

        return wait

    def _play(self, services, seconds, sender):
        services.become_another()
        # Its work is not the service's: what is measured goes first.
        os.nice(10)
        until = time.monotonic() + seconds
        statuses, lock = {}, threading.Lock()

        def repeat(call):
            while time.monotonic() < until:
                try:
                    status = call()
                except (OSError, http.client.HTTPException) as error:
                    status = type(error).__name__
                with lock:
                    statuses[status] = statuses.get(status, 0) + 1
                time.sleep(self.pause)

        threads = [threading.Thread(target=repeat, args=(call,), daemon=True) for call in self.calls]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(seconds + PATIENCE_SECONDS / 2)
        sender.send(statuses)


class Honest:
    """What honest apps see for a while: `/health` ten times a second, a registration a second, and a device that is
    written to twice a second on a chain that grows at real time."""

    def __init__(self, services):
        self.services = services
        self.health, self.registrations, self.pushes = [], [], []
        self.failures, self.lost, self.statuses = 0, 0, {}
        self.sender, self.app = services.wallet(), services.app()
        self.app.watched = [self.sender.address]
        expect(self.app.register().status == 200, "the honest device is refused")

    def run(self, seconds, load=None, transactions=lambda: []):
        messages = [self.services.chain.message(self.sender, contextual("a", b"honest"))
                    for _ in range(2 * int(seconds))]
        self.services.tell_live(seconds, lambda number: [messages[number], *transactions()])
        # Who shares the attackers' network shares its allowance.
        self.services.go_elsewhere()
        seconds += LEAD_MILLISECONDS / 1000
        end_of_load = load.start(self.services, seconds) if load else dict
        until = time.monotonic() + seconds
        threads = []
        for call in (self._ask_health, self._register):
            threads.append(threading.Thread(target=call, args=(until,), daemon=True))
            threads[-1].start()
        while time.monotonic() < until:
            # The stand-in keeps a limited number of requests: they are fetched while they come.
            self.services.apple.requests(self.app.token)
            time.sleep(1)
        for thread in threads:
            thread.join(60)
        self._read(messages)
        self.statuses = end_of_load()
        return self

    def _read(self, messages):
        """From the moment at which a block accepts a message to its arrival at Apple."""
        def has_all():
            return len(self.services.apple.pushes(self.app.token)) >= len(messages)

        try:
            eventually("all that is owed has come", has_all, PATIENCE_SECONDS)
        except Broken:
            self.lost = len(messages) - len(self.services.apple.pushes(self.app.token))
        for request in self.services.apple.requests(self.app.token):
            told = int(re.search(r'"timestamp":\s*(\d+)', request["body"])[1])
            self.pushes.append((request["received_at"] - told) / 1000)

    def _timed(self, into, call):
        begin = time.monotonic()
        try:
            self.failures += call().status != 200
        except OSError:
            self.failures += 1
        into.append(time.monotonic() - begin)

    def _ask_health(self, until):
        caller = self.services.caller()
        while time.monotonic() < until:
            self._timed(self.health, lambda: caller.get("/health"))
            time.sleep(0.1)

    def _register(self, until):
        while time.monotonic() < until:
            app = self.services.app()
            app.watched = [self.services.wallet().address]
            self._timed(self.registrations, app.register)
            time.sleep(1)


def table(figures):
    lines = ["| row | /health p99, ms | registrations p99, ms | chain to Apple p99, ms | its last minute | failures | lost | attack |",
             "|---|---|---|---|---|---|---|---|"]
    for row, before, under in figures:
        both = (before, under)
        cells = [" → ".join(f"{p99(getattr(one, name)):.0f}" for one in both)
                 for name in ("health", "registrations", "pushes")]
        cells.append(" → ".join(f"{p99(one.pushes[-120:]):.0f}" for one in both))
        cells += [" → ".join(str(getattr(one, name)) for one in both) for name in ("failures", "lost")]
        lines.append(f"| {row} | {' | '.join(cells)} | {under.statuses} |")
    return "\n".join(lines)
