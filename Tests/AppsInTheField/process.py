"""Processes under test: started in a group of their own, logged into a file, ended whatever happens."""
import contextlib
import os
import re
import signal
import subprocess

from claims import expect, eventually

_running = []


@contextlib.contextmanager
def _uninterrupted():
    """Lets an interruption wait: in the middle of a start it would leave a process that nobody knows of."""
    came = []
    handlers = {number: signal.signal(number, lambda *arguments: came.append(arguments))
                for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)
    if came:
        raise KeyboardInterrupt


class Process:
    def __init__(self, arguments, folder, name, environment=None):
        self.log_path = os.path.join(folder, f"{name}.log")
        self._log = open(self.log_path, "ab")
        self._begin = self._log.tell()
        self.name = name
        with _uninterrupted():
            self._process = subprocess.Popen(
                arguments, cwd=folder, stdin=subprocess.DEVNULL, stdout=self._log, stderr=subprocess.STDOUT,
                start_new_session=True, env={"PATH": "/usr/bin:/bin", "HOME": folder, **(environment or {})})
            _running.append(self)

    @property
    def log(self):
        with open(self.log_path, "rb") as file:
            file.seek(self._begin)
            return file.read().decode(errors="replace")

    def line(self, pattern, seconds=60):
        """The match of a line that it prints; fails when it ends before."""
        def look():
            ended = self._process.poll() is not None
            found = re.search(pattern, self.log)
            expect(found or not ended, f"{self.name} ended with {self._process.returncode}: {self.log[-2000:]}")
            return found

        return eventually(f"{self.name} prints {pattern}", look, seconds)

    @property
    def is_running(self):
        return self._process.poll() is None

    def end(self, first=signal.SIGTERM):
        """Ends it and what it started; by force if it does not go in time."""
        self._signal(first)
        try:
            self._process.wait(timeout=20)
        except subprocess.TimeoutExpired:
            pass
        # What it started can outlive it.
        self._signal(signal.SIGKILL)
        self._process.wait()
        self._log.close()
        if self in _running:
            _running.remove(self)
        return self._process.returncode

    def _signal(self, number):
        try:
            os.killpg(self._process.pid, number)
        except ProcessLookupError:
            pass


def end_all():
    for process in list(_running):
        process.end(signal.SIGKILL)
