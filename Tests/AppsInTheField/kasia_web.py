"""Kasia web: a page from another origin in a real browser, that fetches lists and listens to a stream."""
import http.server
import json
import os
import threading

from claims import eventually, expect
from process import Process

BROWSERS = ("/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome")

PAGE = """<!doctype html>
<meta charset="utf-8">
<title>Kasia web</title>
<script type="module">
const {indexer, gets, posts, closed, stream} = await (await fetch("/task")).json();
const tell = (name, value) => fetch("/told", {method: "POST", body: JSON.stringify({name, value})});
const outcome = async (path, options) => {
  try {
    const answer = await fetch(indexer + path, options);
    return {status: answer.status, body: await answer.json()};
  } catch (error) {
    return {error: String(error)};
  }
};
const json = {"Content-Type": "application/json", "Accept": "application/json"};
for (const path of gets) await tell("GET " + path, await outcome(path, {headers: {"Accept": "application/json"}}));
for (const [path, body] of posts) {
  await tell("POST " + path, await outcome(path, {method: "POST", headers: json, body: JSON.stringify(body)}));
}
for (const [method, path] of closed) {
  await tell(method + " " + path, await outcome(path, {method, headers: json, body: "{}"}));
}
const events = new EventSource(indexer + stream);
events.onopen = () => tell("stream", "open");
events.onerror = () => tell("stream error", events.readyState);
events.addEventListener("activity", event => tell("activity", {id: event.lastEventId, data: JSON.parse(event.data)}));
</script>
"""


class _Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        is_task = self.path == "/task"
        body = (json.dumps(self.server.task) if is_task else PAGE).encode()
        self._answer(body, "application/json" if is_task else "text/html")

    def do_POST(self):
        told = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.told.setdefault(told["name"], []).append(told["value"])
        self._answer(b"{}", "application/json")

    def _answer(self, body, kind):
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


class KasiaWeb:
    """The page open in a browser, until `close`."""

    def __init__(self, folder, task):
        executable = next((path for path in BROWSERS if os.access(path, os.X_OK)), None)
        expect(executable, "chromium is not installed: deploy/install-deps.sh --tests")
        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
        self._server.task, self._server.told = task, {}
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        self._browser = Process(
            [executable, "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
             "--disable-background-networking", "--disable-component-update", "--disable-sync", "--mute-audio",
             f"--user-data-dir={os.path.join(folder, 'browser')}", "--remote-debugging-port=0",
             f"http://127.0.0.1:{self._server.server_port}/"], folder, "browser", {"LANG": "C.UTF-8", "TZ": "UTC"})

    def told(self, name, seconds=60):
        """What the page told under a name, as soon as it told something."""
        return eventually(f"the page tells {name}", lambda: self._server.told.get(name), seconds)

    def close(self):
        self._browser.end()
        self._server.shutdown()
        self._server.server_close()
