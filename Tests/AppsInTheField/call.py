"""HTTP calls, from whatever loopback address a caller is said to have."""
import http.client
import json
import urllib.parse


class Answer:
    def __init__(self, status, headers, body):
        self.status, self.body = status, body
        self.headers = {name.lower(): value for name, value in headers}

    @property
    def json(self):
        return json.loads(self.body)

    @property
    def error(self):
        """The app reads `error` and takes the whole body where there is none."""
        try:
            return self.json["error"]
        except (ValueError, KeyError, TypeError):
            return self.body.decode(errors="replace")

    def __str__(self):
        return f"{self.status} {self.body[:300].decode(errors='replace')}"


class Caller:
    """Somebody with a network address: the whole of 127/8 is this machine, so each phone can have its own."""

    def __init__(self, port, host="127.0.0.1"):
        self.port, self.host = port, host

    def send(self, method, path, body=None, headers=None):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30, source_address=(self.host, 0))
        try:
            # Nothing beyond what the app sends: not even Python's own Accept-Encoding.
            connection.putrequest(method, path, skip_accept_encoding=True)
            for name, value in (headers or {}).items():
                connection.putheader(name, value)
            if body is not None or method not in ("GET", "OPTIONS"):
                connection.putheader("Content-Length", str(len(body or b"")))
            connection.endheaders(body)
            response = connection.getresponse()
            return Answer(response.status, response.getheaders(), response.read())
        finally:
            connection.close()

    def get(self, path, query=None, headers=None):
        if query:
            path += "?" + urllib.parse.urlencode(query)
        return self.send("GET", path, headers={"Accept": "application/json", **(headers or {})})
