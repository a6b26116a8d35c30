"""A TCP relay with one address for a node that is replaced behind it."""
import socket
import threading


class Relay:
    def __init__(self):
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = self._listener.getsockname()[1]
        self._target, self._open, self._lock = None, set(), threading.Lock()
        threading.Thread(target=self._accept, daemon=True).start()

    def lead_to(self, port):
        """New connections go to this port; those that are open are cut."""
        with self._lock:
            self._target, cut, self._open = port, self._open, set()
        for connection in cut:
            self._shut(connection)

    def close(self):
        self._listener.close()
        self.lead_to(None)

    def _accept(self):
        while True:
            try:
                near, _ = self._listener.accept()
            except OSError:
                return
            with self._lock:
                try:
                    far = socket.create_connection(("127.0.0.1", self._target), timeout=10)
                except (OSError, TypeError):
                    near.close()
                    continue
                far.settimeout(None)
                self._open |= {near, far}
            for one, other in ((near, far), (far, near)):
                threading.Thread(target=self._pass_on, args=(one, other), daemon=True).start()

    def _pass_on(self, one, other):
        try:
            while data := one.recv(65536):
                other.sendall(data)
        except OSError:
            pass
        self._shut(one)
        self._shut(other)

    @staticmethod
    def _shut(connection):
        try:
            connection.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass
        connection.close()
