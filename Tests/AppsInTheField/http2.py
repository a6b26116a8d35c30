"""As much of an HTTP/2 client as the stand-in's control endpoint needs.

Requests are written as literals; of answers only the data is looked at, so no header has to be decompressed.
"""
import socket
import ssl
import struct

DATA, HEADERS, RST_STREAM, SETTINGS, PING, GOAWAY, WINDOW_UPDATE = 0, 1, 3, 4, 6, 7, 8
ACKNOWLEDGED, END_STREAM, END_HEADERS = 1, 1, 4


def _text(content):
    data, length = content.encode(), len(content.encode())
    if length < 127:
        return bytes([length]) + data
    out, rest = bytearray([127]), length - 127
    while rest > 127:
        out.append(rest & 127 | 128)
        rest >>= 7
    return bytes(out + bytes([rest])) + data


class HTTP2Client:
    def __init__(self, port, ca_file):
        context = ssl.create_default_context(cafile=ca_file)
        context.set_alpn_protocols(["h2"])
        plain = socket.create_connection(("127.0.0.1", port), timeout=30)
        self._socket = context.wrap_socket(plain, server_hostname="localhost")
        self._stream = -1
        self._socket.sendall(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n")
        self._write(SETTINGS, 0, 0, b"")

    def close(self):
        self._socket.close()

    def request(self, method, path, body=b""):
        """The answer's body."""
        self._stream += 2
        fields = {":method": method, ":scheme": "https", ":authority": "localhost", ":path": path}
        block = b"".join(b"\x00" + _text(name) + _text(value) for name, value in fields.items())
        self._write(HEADERS, END_HEADERS | (0 if body else END_STREAM), self._stream, block)
        if body:
            self._write(DATA, END_STREAM, self._stream, body)
        return self._answer()

    def _answer(self):
        answer = b""
        while True:
            kind, flags, stream, content = self._read()
            if kind == SETTINGS and not flags & ACKNOWLEDGED:
                self._write(SETTINGS, ACKNOWLEDGED, 0, b"")
            elif kind == PING and not flags & ACKNOWLEDGED:
                self._write(PING, ACKNOWLEDGED, 0, content)
            elif kind == GOAWAY or kind == RST_STREAM and stream == self._stream:
                raise ConnectionError("the stand-in gave the request up")
            elif kind == DATA:
                answer += content if stream == self._stream else b""
                if content:
                    for number in (0, stream):
                        self._write(WINDOW_UPDATE, 0, number, struct.pack(">I", len(content)))
            if kind in (DATA, HEADERS) and stream == self._stream and flags & END_STREAM:
                return answer

    def _write(self, kind, flags, stream, content):
        self._socket.sendall(struct.pack(">I", len(content))[1:] + struct.pack(">BBI", kind, flags, stream) + content)

    def _read(self):
        head = self._exactly(9)
        kind, flags, stream = struct.unpack(">BBI", head[3:])
        return kind, flags, stream & 0x7FFFFFFF, self._exactly(int.from_bytes(head[:3], "big"))

    def _exactly(self, count):
        data = b""
        while len(data) < count:
            more = self._socket.recv(count - len(data))
            if not more:
                raise ConnectionError("the stand-in hung up")
            data += more
        return data
