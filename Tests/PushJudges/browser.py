"""Browsers with keys of their own, and their push service: an HTTP/2 server that records what is sent."""
import asyncio
import base64
import datetime
import ipaddress
import os
import socket
import threading

import hypercorn.asyncio
import hypercorn.config
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

LONGEST_BODY = 65_536


def base64url(data):
    return base64.urlsafe_b64encode(data).decode().rstrip("=")


class Browser:
    """A subscription, whose private key and secret only the browser knows."""

    def __init__(self, origin, name):
        self.name, self.path = name, f"/send/{name}"
        self.private_key, self.auth = ec.generate_private_key(ec.SECP256R1()), os.urandom(16)
        point = self.private_key.public_key().public_bytes(
            serialization.Encoding.X962, serialization.PublicFormat.UncompressedPoint)
        self.subscription = {
            "endpoint": origin + self.path, "keys": {"p256dh": base64url(point), "auth": base64url(self.auth)},
        }


class Received:
    """A request as it came."""

    def __init__(self, scope, body):
        self.method, self.path, self.version, self.body = scope["method"], scope["path"], scope["http_version"], body
        self.fields = [(name.decode(), value.decode()) for name, value in scope["headers"]]
        self.headers = dict(self.fields)


class PushService:
    """Takes whatever comes, over TLS and HTTP/2 only."""

    def __init__(self, folder):
        self.received = []
        self.ca_file, key_file = os.path.join(folder, "service-ca.pem"), os.path.join(folder, "service-key.pem")
        _write_certificate(self.ca_file, key_file)
        listener = socket.create_server(("127.0.0.1", 0), backlog=100)
        self.origin = f"https://127.0.0.1:{listener.getsockname()[1]}"
        config = hypercorn.config.Config()
        config.bind, config.certfile, config.keyfile = [f"fd://{listener.detach()}"], self.ca_file, key_file
        config.alpn_protocols, config.errorlog = ["h2"], None
        self._loop, self._end = asyncio.new_event_loop(), asyncio.Event()
        serving = hypercorn.asyncio.serve(self._app, config, shutdown_trigger=self._end.wait)
        self._thread = threading.Thread(target=self._loop.run_until_complete, args=(serving,), daemon=True)
        self._thread.start()

    def pushes(self, browser):
        return [one for one in list(self.received) if one.path == browser.path and one.method == "POST"]

    def close(self):
        self._loop.call_soon_threadsafe(self._end.set)
        self._thread.join(timeout=10)

    async def _app(self, scope, receive, send):
        if scope["type"] == "lifespan":
            for stage in ("startup", "shutdown"):
                await receive()
                await send({"type": f"lifespan.{stage}.complete"})
            return
        body = b""
        while True:
            message = await receive()
            body += message.get("body", b"")
            if not message.get("more_body") or len(body) > LONGEST_BODY:
                break
        self.received.append(Received(scope, body))
        if scope["method"] == "GET":
            # As a distributor of UnifiedPush says what it is.
            await _answer(send, 200, b'{"unifiedpush":{"version":1}}', (b"content-type", b"application/json"))
        else:
            location = f"{self.origin}/messages/{len(self.received)}".encode()
            await _answer(send, 201, b"", (b"location", location))


async def _answer(send, status, body, *headers):
    length = (b"content-length", str(len(body)).encode())
    await send({"type": "http.response.start", "status": status, "headers": [*headers, length]})
    await send({"type": "http.response.body", "body": body})


def _write_certificate(path, key_path):
    """A certificate for 127.0.0.1 that is its own authority."""
    key, now = ec.generate_private_key(ec.SECP256R1()), datetime.datetime.now(datetime.timezone.utc)
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "a push service for tests")])
    certificate = (
        x509.CertificateBuilder().subject_name(name).issuer_name(name).public_key(key.public_key())
        .serial_number(x509.random_serial_number()).not_valid_before(now - datetime.timedelta(days=1))
        .not_valid_after(now + datetime.timedelta(days=1))
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .add_extension(
            x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address("127.0.0.1"))]), critical=False)
        .sign(key, hashes.SHA256()))
    with open(path, "wb") as file:
        file.write(certificate.public_bytes(serialization.Encoding.PEM))
    with open(key_path, "wb", opener=lambda path, flags: os.open(path, flags, 0o600)) as file:
        file.write(key.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()))
