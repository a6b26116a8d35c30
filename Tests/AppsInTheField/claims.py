"""Claims: what is said of the service, each on a line with its outcome."""
import contextlib
import time
import traceback


class Broken(Exception):
    """A claim that does not hold, in a sentence."""


def expect(condition, otherwise):
    if not condition:
        raise Broken(str(otherwise))


def equal(found, wanted, what=""):
    expect(found == wanted, f"{what}{': ' if what else ''}{found!r} is not {wanted!r}")


def eventually(what, condition, seconds=30):
    """The condition's value as soon as it is true; the pause only keeps the looks apart."""
    deadline = time.monotonic() + seconds
    while True:
        value = condition()
        if value:
            return value
        expect(time.monotonic() < deadline, f"never happened within {seconds} s: {what}")
        time.sleep(0.02)


class Stuck(Exception):
    """The service does not get on: nothing that comes after could tell anything."""


class Claims:
    def __init__(self):
        self.passed, self.failed = 0, 0

    @contextlib.contextmanager
    def claim(self, name):
        """Holds if the body ends without an error; a broken one does not keep the next from being tried."""
        try:
            yield
        except Exception as error:
            self.failed += 1
            if isinstance(error, Stuck):
                raise
            place = traceback.extract_tb(error.__traceback__)[-1]
            kind = "" if isinstance(error, Broken) else f"{type(error).__name__}: "
            where = "" if isinstance(error, Broken) else f" ({place.filename.rsplit('/', 1)[-1]}:{place.lineno})"
            print(f"FAIL {name}: {kind}{' '.join(str(error).split())[:600]}{where}", flush=True)
        else:
            self.passed += 1
            print(f"ok   {name}", flush=True)
