"""The service under test between a node and Apple: the real executables, on loopback, in a folder of their own."""
import os
import tempfile

from apple import Apple
from call import Caller
from chain import Chain
from claims import Broken, Stuck, equal, eventually, expect
from database import Database, is_wanted
from ios_app import IOSApp, Phone
from payload import contextual
from process import Process
from relay import Relay
from wallet import Wallet


PATIENCE_SECONDS = 60
# How long a new node at real time waits for the service to come to it.
LEAD_MILLISECONDS = 5_000


class Services:
    """`tell` lets the chain grow and waits until the service has done all that follows from it."""

    def __init__(self, executables, random):
        self.random = random
        self._executables = executables
        self._folder = tempfile.TemporaryDirectory(prefix="apps-in-the-field-", ignore_cleanup_errors=True)
        self.folder = self._folder.name
        self.chain = Chain(random)
        self._hosts = 0
        self._node = None
        self.apple = Apple(self._path("apns-sandbox"), self.folder)
        self._relay = Relay()
        self._replace_node()
        self._database = Database() if is_wanted() else None
        self.indexer = Process([self._path("kasia-push-indexer"), "serve"], self.folder, "indexer", self._environment())
        self.port = int(self.indexer.line(r"api\.listening .*port=(\d+)\n")[1])
        self._watchman, self._watched = self._install_watchman()

    def _path(self, name):
        return os.path.join(self._executables, name)

    def _environment(self):
        server = {"STORE_URL": self._database.url} if self._database else {}
        return {
            **self.apple.environment, "NETWORK_TYPE": "mainnet", "NODE_URLS": f"http://127.0.0.1:{self._relay.port}",
            "HTTP_PORT": "0", "STORE_PATH": os.path.join(self.folder, "store"), "STORE_MIN_FREE_SPACE": "0", **server,
        }

    def close(self):
        """Ends all; says so if the service did not end by itself, and well."""
        status = self.indexer.end()
        self._node.end()
        self.apple.process.end()
        self._relay.close()
        if self._database:
            self._database.close()
        self._folder.cleanup()
        equal(status, 0, "exit status")

    # Who calls

    def become_another(self):
        """In a process that was forked off: other addresses and other random numbers than its parent's."""
        self._hosts += 30_000
        self.random.seed(self._hosts + self.random.getrandbits(32))

    def go_elsewhere(self):
        """From now on addresses are of another /24 than before."""
        self._hosts += 250 - self._hosts % 250

    def host(self):
        """A network address that nobody else has here."""
        self._hosts += 1
        return f"127.1.{self._hosts // 250}.{self._hosts % 250 + 1}"

    def phone(self):
        return Phone(self.random, self.port, self.host())

    def wallet(self):
        return Wallet(self.random)

    def app(self, wallet=None, **options):
        """An app on a phone of its own."""
        return IOSApp(self.phone(), wallet or self.wallet(), **options)

    def caller(self):
        return Caller(self.port, self.host())

    # The chain

    def _replace_node(self, *pace):
        """A node that knows all of the chain so far, in place of the last."""
        path = os.path.join(self.folder, "chain.recording")
        self.chain.write(path)
        arguments = [self._path("kaspad-replay"), path, "--port", "0", *(pace or ("--speed", "max"))]
        last, self._node = self._node, Process(arguments, self.folder, "node")
        self._relay.lead_to(int(self._node.line(r"listening on http://\S*:(\d+)\n")[1]))
        if last:
            last.end()

    def _install_watchman(self):
        """A device whose push says that the service has come so far."""
        wallet = self.wallet()
        app = self.app()
        app.watched = [wallet.address]
        answer = app.register()
        expect(answer.status == 200, f"the watchman's registration: {answer}")
        return app, wallet

    def tell(self, *transactions):
        """Puts transactions into a block, each list among them into a block of its own, and settles."""
        loose = [one for one in transactions if not isinstance(one, list)]
        for block in [loose] * bool(loose) + [one for one in transactions if isinstance(one, list)]:
            self.chain.grow(*block)
        self.settle()

    def tell_live(self, seconds, transactions):
        """Lets the chain grow at real time from now on: `transactions(n)` are told in the nth half second.

        A block's time is the moment at which it is told, and what it holds is accepted at that moment.
        """
        self.chain.is_told_at_once()
        for number in range(2 * int(seconds)):
            at = LEAD_MILLISECONDS + number * 500
            self.chain.grow(*transactions(number), told_after=at)
            self.chain.grow(told_after=at)
        self._replace_node("--speed", "1", "--move-times")

    def settle(self):
        last = self.chain.message(self._watched, contextual("watch", b"all is well"))
        self.chain.grow(last)
        self.chain.grow()
        self._replace_node()
        try:
            eventually("the service has followed the chain", lambda: self._has_told(last.id), PATIENCE_SECONDS)
            eventually("all pushes are sent", self.is_quiet, PATIENCE_SECONDS)
        except Broken as reason:
            raise Stuck(reason) from None

    def _has_told(self, identifier):
        for process in (self._node, self.indexer, self.apple.process):
            expect(process.is_running, f"{process.name} has ended: {process.log[-2000:]}")
        return any(identifier in str(push) for push in self.apple.pushes(self._watchman.token))

    def is_quiet(self):
        depths = Caller(self.port).get("/metrics").json.get("push_queue_depth", [])
        return all(depth["value"] == 0 for depth in depths)
