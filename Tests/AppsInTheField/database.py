"""A PostgreSQL server for the service under test: where KASIA_TEST_ENGINE asks for one, its store is there."""
import glob
import os
import pwd
import signal
import subprocess
import tempfile
import urllib.parse

from claims import Broken
from process import Process

# A database in memory is made in an eighth of the time.
MEMORY = "/dev/shm"
MEMORY_NEEDED = 4 << 30


def is_wanted():
    engine = os.environ.get("KASIA_TEST_ENGINE", "rocksdb")
    if engine not in ("rocksdb", "postgres"):
        raise Broken(f"KASIA_TEST_ENGINE: there is no {engine}")
    return engine == "postgres"


class Database:
    """A server of its own, on a Unix socket. Nothing here cuts the power: it syncs nothing."""

    def __init__(self):
        installed = glob.glob("/usr/lib/postgresql/*/bin/postgres")
        if not installed:
            raise Broken("PostgreSQL is not installed: on Debian and Ubuntu, install the package postgresql")
        programs = os.path.dirname(max(installed, key=lambda path: int(path.split("/")[4])))
        space = os.statvfs(MEMORY) if os.path.isdir(MEMORY) else None
        has_memory = space is not None and space.f_bavail * space.f_frsize > MEMORY_NEEDED
        self._folder = tempfile.TemporaryDirectory(
            prefix="kpg.", dir=MEMORY if has_memory else None, ignore_cleanup_errors=True)
        folder = self._folder.name
        as_user = self._give_away() if os.getuid() == 0 else []
        data = os.path.join(folder, "data")
        subprocess.run(
            as_user + [f"{programs}/initdb", "-D", data, "-U", "postgres", "-A", "trust", "--no-sync", "-E", "UTF8",
                       "--locale=C"],
            check=True, stdout=subprocess.DEVNULL, cwd=folder)
        settings = {"listen_addresses": "", "unix_socket_directories": folder, "fsync": "off"}
        self._server = Process(
            as_user + [f"{programs}/postgres", "-D", data]
            + [word for name, value in settings.items() for word in ("-c", f"{name}={value}")],
            folder, "postgres")
        self._server.line("ready to accept connections")
        self.url = f"postgresql://postgres@{urllib.parse.quote(folder, safe='')}/postgres"

    def _give_away(self):
        """Makes the folder the server's user's; returns what runs a command as that: root it refuses to be."""
        user = pwd.getpwnam("postgres")
        os.chown(self._folder.name, user.pw_uid, user.pw_gid)
        return ["setpriv", f"--reuid={user.pw_uid}", f"--regid={user.pw_gid}", "--clear-groups"]

    def close(self):
        self._server.end(signal.SIGINT)
        self._folder.cleanup()
