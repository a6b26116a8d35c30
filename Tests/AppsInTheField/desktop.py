"""KaChat for desktop: reads from another origin, with POST and JSON bodies, paging as the app does."""
import json

from call import Caller
from claims import expect

ORIGIN = "tauri://localhost"


class Desktop:
    def __init__(self, port, host, origin=ORIGIN):
        self.caller, self.origin = Caller(port, host), origin

    def get(self, path, **query):
        return self.caller.get(path, query, {"Origin": self.origin})

    def post(self, path, body):
        headers = {"Origin": self.origin, "Accept": "application/json", "Content-Type": "application/json"}
        return self.caller.send("POST", path, json.dumps(body).encode(), headers)

    def preflight(self, path, method):
        headers = {"Origin": self.origin, "Access-Control-Request-Method": method}
        if method == "POST":
            headers["Access-Control-Request-Headers"] = "content-type,accept"
        return self.caller.send("OPTIONS", path, headers=headers)

    def lets_in(self, answer):
        return answer.headers.get("access-control-allow-origin") in ("*", self.origin)

    def rows(self, path, **query):
        answer = self.get(path, **query)
        expect(answer.status == 200, f"GET {path}: {answer}")
        return answer.json

    def since(self, path, member, body):
        """One page of a `since` read."""
        answer = self.post(path, body)
        expect(answer.status == 200, f"POST {path}: {answer}")
        return answer.json[member], answer.json["latestBlockTime"]

    def pages_by_cursor(self, path, limit, **query):
        """Pages on from the last row's cursor until one is short."""
        pages = [self.rows(path, limit=limit, **query)]
        while len(pages[-1]) == limit:
            pages.append(self.rows(path, limit=limit, cursor=pages[-1][-1]["cursor"], **query))
        return pages

    def pages_by_block_time(self, path, limit, **query):
        """Pages on from the greatest block time until one is short, or brings nothing later."""
        pages, start = [], 0
        while True:
            pages.append(self.rows(path, limit=limit, block_time=start, **query))
            times = [row["block_time"] for row in pages[-1]]
            if len(times) < limit or max(times) <= start:
                return pages
            start = max(times)

    def pages_since(self, path, member, limit, **body):
        """Feeds `latestBlockTime` back until a page is empty."""
        pages, start = [], 0
        while True:
            rows, latest = self.since(path, member, {**body, "sinceBlockTime": start, "limit": limit})
            if not rows:
                return pages
            expect(latest == rows[-1]["block_time"], f"latestBlockTime {latest}, last row {rows[-1]['block_time']}")
            expect(latest > start, "the page leads nowhere")
            pages.append(rows)
            start = latest
