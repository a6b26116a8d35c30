"""What KaChat for desktop fetches, from another origin (section 3)."""
import base64

from chain import KAS
from claims import equal, expect
from desktop import Desktop
from payload import CIPH, broadcast, contextual, group_control, group_message, handshake, inbox, payment, self_stash

MOST_QUERIES, MOST_IDS, MOST_ROWS, DEFAULT_SINCE, DEFAULT_INBOX = 64, 256, 500, 200, 100
# A page of so many whole blocks ends where a block time does.
BLOCK = 20
HANDSHAKES, PAYMENTS = "/handshakes/by-receiver", "/payments/by-receiver"
BY_SENDER, BY_INBOX, BY_TRANSACTION = (f"/contextual-messages/{name}" for name in ("by-sender", "by-inbox", "by-txid"))
STASHES, BROADCASTS = "/self-stash/by-owner", "/get-broadcasts"
GROUP, GROUPS, GROUPS_SINCE = (f"/group-messages/{name}" for name in
                               ("by-blinded-group-id", "by-blinded-group-ids", "since"))
CONTROL_BY_SENDER, CONTROL_BY_RECIPIENT, CONTROL_SINCE = (f"/group-control/{name}" for name in
                                                          ("by-sender", "by-recipient", "since"))
READS = ["/handshakes/by-sender", HANDSHAKES, "/payments/by-sender", PAYMENTS, BY_SENDER, BY_INBOX, BY_TRANSACTION,
         STASHES, BROADCASTS, GROUP, CONTROL_BY_SENDER, CONTROL_BY_RECIPIENT, "/v1/messages/" + "ab" * 32,
         "/v1/activity", "/v1/activity/stream"]
POSTED_READS = [GROUPS, GROUPS_SINCE, CONTROL_SINCE, "/v1/activity/refresh"]
CLOSED = {"/v1/push/register": "POST", "/v1/push/update": "PUT", "/v1/push/unregister": "DELETE",
          "/v1/push/challenge": "POST", "/v1/push/status": "GET", "/v1/push/missed": "GET", "/v1/push/ring": "POST",
          "/v1/push/devices": "POST", "/v1/push/wallet": "DELETE"}


class Told:
    """What the chain holds for these lists; `start` is a block time before all of it."""

    def __init__(self, services):
        random, chain = services.random, services.chain
        self.admin, self.member, self.reader, self.writer = (services.wallet() for _ in range(4))
        self.start = chain.top.time
        self.groups = [random.randbytes(32).hex() for _ in range(3)]
        self.tag = self.reader.inbox_tag

        def group(index):
            return chain.message(self.admin, group_message(self.admin, self.groups[index], random))

        def control(recipient=None):
            return chain.message(self.admin, group_control(random.randbytes(40), recipient))

        def first(alias="0a0b"):
            return chain.message(self.writer, inbox(self.tag, alias, base64.b64encode(random.randbytes(30))))

        def said(number):
            return chain.message(self.writer, broadcast("kachat-bugs", f"number {number}: with colons"))

        # Block times with one, three, two, one and four operations of each kind; the three stand in two blocks.
        self.messages, self.controls, self.firsts, self.broadcasts = [], [], [], []
        for count in (1, 3, 2, 1, 4):
            begin = max(chain.top.time + 10, self.start)
            lists = ([group(n % 2) for n in range(count)], [control((None, self.reader, self.member)[n % 3])
                     for n in range(count)], [first() for _ in range(count)],
                     [said(len(self.broadcasts) + n) for n in range(count)])
            for kept, new in zip((self.messages, self.controls, self.firsts, self.broadcasts), lists):
                kept += new
            together = [one for new in lists for one in new]
            chain.grow(*together[:len(together) // 2], at=begin)
            chain.grow(*together[len(together) // 2:], at=begin)
        envelope = {"type": "reaction", "reference": {"txId": "ab" * 32}, "emoji": "\U0001F44D"}
        self.reaction = chain.message(self.writer, broadcast("kaspa", envelope))
        self.stash = chain.message(self.writer, self_stash(b"5ea1ed"))
        self.scoped = chain.message(self.writer, self_stash(b"5ea1ed", "saved_handshake", CIPH))
        self.chat = chain.message(self.writer, contextual("0a0b", b"c2VhbGVk"))
        self.shake = chain.payment(self.writer, self.reader, KAS // 5, handshake(b"sealed"))
        self.payment = chain.payment(self.writer, self.reader, 2 * KAS, payment(b"sealed"))
        self.plain = chain.payment(self.writer, self.reader, KAS)
        chain.grow(self.reaction, self.stash, self.scoped, self.chat, self.shake, self.payment, self.plain)
        # More than a page of each holds, in blocks of their own times.
        self.busy_group, self.busy = random.randbytes(32).hex(), services.wallet()
        self.many_messages = [chain.message(self.admin, group_message(self.admin, self.busy_group, random))
                              for _ in range(MOST_ROWS + BLOCK)]
        self.many_firsts = [chain.message(self.writer, inbox(self.busy.inbox_tag, "0a0b", b"c2VhbGVk"))
                            for _ in range(MOST_ROWS + BLOCK)]
        for index in range(0, MOST_ROWS + BLOCK, BLOCK):
            begin = chain.top.time + 10
            chain.grow(*self.many_messages[index:index + BLOCK], at=begin)
            chain.grow(*self.many_firsts[index:index + BLOCK], at=begin)
        services.settle()


def play(claims, services):
    told = Told(services)
    desktop = Desktop(services.port, services.host())
    _is_let_in(claims, desktop)
    _reads_messages(claims, desktop, told)
    _reads_inboxes(claims, desktop, told)
    _reads_groups(claims, desktop, told)
    _reads_controls(claims, desktop, told)
    _reads_broadcasts(claims, desktop, told)


def _ids(rows):
    return [row.get("tx_id") or row.get("txId") for row in rows]


def _of(transactions):
    return sorted(transaction.id for transaction in transactions)


def _whole(pages, transactions):
    """Nothing skipped, nothing repeated."""
    found = [identifier for page in pages for identifier in _ids(page)]
    equal(len(found), len(set(found)), f"rows, some repeated, in pages of {[len(page) for page in pages]}")
    equal(sorted(found), _of(transactions), f"pages of {[len(page) for page in pages]}")


def _is_let_in(claims, desktop):
    for path, method in [(path, "GET") for path in READS] + [(path, "POST") for path in POSTED_READS]:
        with claims.claim(f"L10 the preflight of {method} {path.replace('ab' * 32, 'TX')} lets the desktop in"):
            answer = desktop.preflight(path, method)
            expect(answer.status in (200, 204), answer)
            expect(desktop.lets_in(answer), answer.headers)
            allowed = answer.headers.get("access-control-allow-methods", "").upper()
            expect(method in allowed, f"methods: {allowed}")
            if method == "POST":
                names = answer.headers.get("access-control-allow-headers", "").lower()
                expect("content-type" in names and "accept" in names, f"headers: {names}")
    with claims.claim("L10 errors can be read from another origin: 400, 404"):
        for answer, status in ((desktop.get(PAYMENTS, address="nobody"), 400), (desktop.get(PAYMENTS), 400),
                               (desktop.get("/v1/messages/" + "ab" * 32), 404), (desktop.post(GROUPS, []), 400),
                               (desktop.get(BY_TRANSACTION, tx_id="ab" * 32), 404)):
            equal(answer.status, status, str(answer))
            expect(desktop.lets_in(answer), f"{status}: {answer.headers}")
    for path, method in CLOSED.items():
        with claims.claim(f"L10 {method} {path} stays closed to other origins"):
            expect(not desktop.lets_in(desktop.preflight(path, method)), "the preflight lets it in")
            headers = {"Origin": desktop.origin, "Content-Type": "application/json"}
            answer = desktop.caller.send(method, path, b"{}" if method != "GET" else None, headers)
            expect("access-control-allow-origin" not in answer.headers, answer.headers)
    with claims.claim("L10 operators' calls stay closed to other origins"):
        for path in ("/metrics", "/metrics/prometheus", "/ready"):
            expect(not desktop.lets_in(desktop.get(path)), path)


def _reads_messages(claims, desktop, told):
    with claims.claim("lists: handshakes and payments by receiver, as the app asks"):
        query = {"address": told.reader.address, "limit": 50, "block_time": 0}
        equal(_ids(desktop.rows(HANDSHAKES, **query)), [told.shake.id])
        row, = desktop.rows(PAYMENTS, **query)
        equal((row["tx_id"], row["sender"], row["receiver"], row["amount"]),
              (told.payment.id, told.writer.address, told.reader.address, 2 * KAS))
    with claims.claim("L8 a self-stash without a scope has an empty text there"):
        rows = {row["tx_id"]: row for row in desktop.rows(STASHES, owner=told.writer.address, limit=50, block_time=0)}
        equal(rows[told.stash.id]["scope"], "")
        equal(rows[told.scoped.id]["scope"], b"saved_handshake".hex())
    with claims.claim("L8 self-stashes by scope are found in hex"):
        query = {"owner": told.writer.address, "scope": b"saved_handshake".hex(), "limit": 50, "block_time": 0}
        equal(_ids(desktop.rows(STASHES, **query)), [told.scoped.id])
    with claims.claim("L12 a message by its transaction is the row of the list"):
        answer = desktop.get(BY_TRANSACTION, tx_id=told.chat.id)
        equal(answer.status, 200, str(answer))
        query = {"address": told.writer.address, "alias": b"0a0b".hex(), "limit": 50}
        listed = [row for row in desktop.pages_by_cursor(BY_SENDER, **query)[0] if row["tx_id"] == told.chat.id]
        row = {name: value for name, value in answer.json.items() if name != "cursor"}
        equal(row, {name: listed[0][name] for name in row}, "the row")
        expect({"tx_id", "sender", "alias", "block_time", "accepting_block", "accepting_daa_score",
                "message_payload"} <= row.keys(), row)
    with claims.claim("L12 an inbox message is found by its transaction"):
        equal(desktop.rows(BY_TRANSACTION, tx_id=told.firsts[0].id)["tx_id"], told.firsts[0].id)
    with claims.claim("L12 an unknown transaction is 404 with an error"):
        answer = desktop.get(BY_TRANSACTION, tx_id="ab" * 32)
        equal(answer.status, 404)
        expect(isinstance(answer.json.get("error"), str), answer)
    with claims.claim("lists: an inbox message is listed by sender and alias as any other"):
        query = {"address": told.writer.address, "alias": b"0a0b".hex()}
        expect({one.id for one in told.firsts} <= {i for page in desktop.pages_by_cursor(BY_SENDER, 50, **query)
                                                   for i in _ids(page)}, "some are missing")
    with claims.claim("lists: /v1/messages tells an inbox message's kind"):
        equal(desktop.rows("/v1/messages/" + told.firsts[0].id)["kind"], "contextual_message")


def _reads_inboxes(claims, desktop, told):
    with claims.claim("I1 the app's probe is answered: this server has inboxes"):
        equal(desktop.rows(BY_INBOX, tag="0" * 32, limit=1), [])
    with claims.claim("I1 rows are those of by-sender, with sender, oldest first"):
        rows = desktop.rows(BY_INBOX, tag=told.tag, limit=100, block_time=0)
        equal(sorted(_ids(rows)), _of(told.firsts))
        equal([row["block_time"] for row in rows], sorted(row["block_time"] for row in rows))
        row = next(row for row in rows if row["tx_id"] == told.firsts[0].id)
        equal((row["sender"], row["alias"]), (told.writer.address, b"0a0b".hex()))
        equal(bytes.fromhex(row["message_payload"]), told.firsts[0].payload.split(b":", 5)[5])
        expect({"block_time", "accepting_block", "accepting_daa_score"} <= row.keys(), row)
    with claims.claim("I1 block_time is exclusive"):
        rows = desktop.rows(BY_INBOX, tag=told.tag, limit=100, block_time=told.firsts[0].block_time)
        equal(sorted(_ids(rows)), _of(told.firsts[1:]))
    busy = told.busy.inbox_tag
    with claims.claim(f"I1 without a limit {DEFAULT_INBOX} rows, at most {MOST_ROWS}"):
        equal(len(desktop.rows(BY_INBOX, tag=busy)), DEFAULT_INBOX, "without a limit")
        equal(len(desktop.rows(BY_INBOX, tag=busy, limit=MOST_ROWS - BLOCK)), MOST_ROWS - BLOCK, "a block less")
        equal(len(desktop.rows(BY_INBOX, tag=busy, limit=MOST_ROWS)), MOST_ROWS, "the most")
        equal(len(desktop.rows(BY_INBOX, tag=busy, limit=MOST_ROWS + BLOCK)), MOST_ROWS, "more than the most")
    with claims.claim("I1 the app's paging over the busy inbox brings every row once"):
        _whole(desktop.pages_by_block_time(BY_INBOX, 100, tag=busy), told.many_firsts)
    with claims.claim("I1 paging over equal block times skips and repeats nothing"):
        _whole(desktop.pages_by_block_time(BY_INBOX, 2, tag=told.tag), told.firsts)
    with claims.claim("I1 a tag that is not 32 hex digits is 400"):
        for tag in ("0" * 31, "0" * 33, "g" * 32, ""):
            equal(desktop.get(BY_INBOX, tag=tag).status, 400, tag)
        equal(desktop.get(BY_INBOX).status, 400, "no tag")


def _reads_groups(claims, desktop, told):
    def batch(*queries):
        answer = desktop.post(GROUPS, {"queries": list(queries)})
        expect(answer.status == 200, answer)
        return answer.json["results"]

    with claims.claim("L5a each result is what the GET for that id, cursor and limit answers"):
        one, other, unknown = told.groups
        cursor = desktop.rows(GROUP, blinded_group_id=one, limit=2)[-1]["cursor"]
        results = batch({"blindedGroupId": one, "cursor": cursor, "limit": 2},
                        {"blindedGroupId": other, "cursor": None, "limit": 50},
                        {"blindedGroupId": unknown, "limit": 50})
        equal([result["blindedGroupId"] for result in results], told.groups)
        equal(results[0]["messages"], desktop.rows(GROUP, blinded_group_id=one, cursor=cursor, limit=2))
        equal(results[1]["messages"], desktop.rows(GROUP, blinded_group_id=other, limit=50))
        equal(results[2]["messages"], [])
        expect(results[0]["messages"] and results[1]["messages"], "the lists are empty")
    with claims.claim("L5a rows stay in snake case"):
        row = batch({"blindedGroupId": told.groups[0], "cursor": None, "limit": 1})[0]["messages"][0]
        expect({"tx_id", "sender", "blinded_group_id", "block_time", "cursor", "accepting_block",
                "accepting_daa_score", "message_payload"} <= row.keys(), row)
    with claims.claim("L5a paging by cursor over equal block times skips and repeats nothing"):
        pages, cursor = [], None
        while not pages or len(pages[-1]) == 2:
            pages.append(batch({"blindedGroupId": told.groups[0], "cursor": cursor, "limit": 2})[0]["messages"])
            cursor = pages[-1][-1]["cursor"] if pages[-1] else None
        _whole(pages, [one for one in told.messages if told.groups[0].encode() in one.payload])
    with claims.claim(f"L5a {MOST_QUERIES} queries are taken, one more is 400"):
        query = {"blindedGroupId": told.groups[0], "cursor": None, "limit": 1}
        equal(len(batch(*[query | {"blindedGroupId": f"{n:064x}"} for n in range(MOST_QUERIES)])), MOST_QUERIES)
        equal(desktop.post(GROUPS, {"queries": [query] * (MOST_QUERIES + 1)}).status, 400)
    with claims.claim("L5b everything of these groups since a time, oldest first, the time excluded"):
        body = {"blindedGroupIds": told.groups, "sinceBlockTime": told.messages[0].block_time, "limit": 200}
        rows, latest = desktop.since(GROUPS_SINCE, "messages", body)
        equal(sorted(_ids(rows)), _of(told.messages[1:]))
        times = [row["block_time"] for row in rows]
        equal((times, latest), (sorted(times), times[-1]))
    for limit in (3, 4, 5, 6):
        with claims.claim(f"L5b a client that feeds latestBlockTime back gets every row once ({limit} a page)"):
            pages = desktop.pages_since(GROUPS_SINCE, "messages", limit, blindedGroupIds=told.groups)
            _whole(pages, told.messages)
            for page, following in zip(pages, pages[1:]):
                expect(page[-1]["block_time"] < following[0]["block_time"], "a page ends between two of one time")
            if limit > 3:
                expect(all(len(page) <= limit for page in pages), [len(page) for page in pages])
    with claims.claim(f"L5b without a limit {DEFAULT_SINCE} rows, at most {MOST_ROWS}"):
        body = {"blindedGroupIds": [told.busy_group], "sinceBlockTime": 0}
        equal(len(desktop.since(GROUPS_SINCE, "messages", body)[0]), DEFAULT_SINCE, "without a limit")
        equal(len(desktop.since(GROUPS_SINCE, "messages", {**body, "limit": MOST_ROWS})[0]), MOST_ROWS, "the most")
        answer = desktop.post(GROUPS_SINCE, {**body, "limit": MOST_ROWS + BLOCK})
        expect(answer.status == 400 or len(answer.json["messages"]) == MOST_ROWS, "more than the most are answered")
    with claims.claim("L5b the busy group comes whole"):
        pages = desktop.pages_since(GROUPS_SINCE, "messages", 200, blindedGroupIds=[told.busy_group])
        _whole(pages, told.many_messages)
    with claims.claim(f"L5b {MOST_IDS} ids are taken, one more is 400"):
        ids = [f"{n:064x}" for n in range(MOST_IDS + 1)]
        body = {"blindedGroupIds": ids[:MOST_IDS], "sinceBlockTime": 0, "limit": 10}
        equal(desktop.post(GROUPS_SINCE, body).status, 200)
        equal(desktop.post(GROUPS_SINCE, {**body, "blindedGroupIds": ids}).status, 400)
    with claims.claim("L5b nothing new is an empty list"):
        body = {"blindedGroupIds": told.groups, "sinceBlockTime": told.messages[-1].block_time, "limit": 200}
        equal(desktop.since(GROUPS_SINCE, "messages", body)[0], [])


def _reads_controls(claims, desktop, told):
    to_reader = [one for one in told.controls if told.reader.public.encode() in one.payload]
    with claims.claim("L2 group control by sender is asked with sender"):
        _whole(desktop.pages_by_cursor(CONTROL_BY_SENDER, 50, sender=told.admin.address), told.controls)
    with claims.claim("L2 group control by recipient is asked with recipient"):
        _whole(desktop.pages_by_cursor(CONTROL_BY_RECIPIENT, 50, recipient=told.reader.address), to_reader)
    with claims.claim("L2 the older name of the parameter is taken as well"):
        equal(_ids(desktop.rows(CONTROL_BY_SENDER, address=told.admin.address, limit=50)),
              _ids(desktop.rows(CONTROL_BY_SENDER, sender=told.admin.address, limit=50)))
        equal(_ids(desktop.rows(CONTROL_BY_RECIPIENT, address=told.reader.address, limit=50)),
              _ids(desktop.rows(CONTROL_BY_RECIPIENT, recipient=told.reader.address, limit=50)))
    with claims.claim("L2 paging over equal block times skips and repeats nothing"):
        _whole(desktop.pages_by_cursor(CONTROL_BY_SENDER, 2, sender=told.admin.address), told.controls)
    with claims.claim("L3 a row's recipient is an address, its key stands beside it"):
        row = desktop.rows(CONTROL_BY_RECIPIENT, recipient=told.reader.address, limit=50)[0]
        equal((row["recipient"], row["recipient_key"]), (told.reader.address, told.reader.public))
    with claims.claim("L3 a control that is addressed to nobody has no recipient"):
        rows = desktop.rows(CONTROL_BY_SENDER, sender=told.admin.address, limit=50)
        unaddressed = [row for row in rows if row.get("recipient") is None]
        expect(unaddressed and len(unaddressed) < len(rows), rows[:2])
    with claims.claim("L5c control sent by any of these or addressed to me, each once"):
        body = {"senders": [told.member.address, told.admin.address], "recipient": told.reader.address,
                "sinceBlockTime": 0, "limit": 200}
        rows, latest = desktop.since(CONTROL_SINCE, "controls", body)
        equal(sorted(_ids(rows)), _of(told.controls))
        equal(latest, rows[-1]["block_time"])
        equal({row.get("recipient") for row in rows}, {None, told.reader.address, told.member.address})
    with claims.claim("L5c a newcomer who knows no admin hears what is addressed to it"):
        body = {"senders": [], "recipient": told.reader.address, "sinceBlockTime": 0, "limit": 200}
        equal(sorted(_ids(desktop.since(CONTROL_SINCE, "controls", body)[0])), _of(to_reader))
    for limit in (4, 5, 6):
        with claims.claim(f"L5c a client that feeds latestBlockTime back gets every row once ({limit} a page)"):
            pages = desktop.pages_since(CONTROL_SINCE, "controls", limit, senders=[told.admin.address],
                                        recipient=told.reader.address)
            _whole(pages, told.controls)
            expect(all(len(page) <= limit for page in pages), [len(page) for page in pages])


def _reads_broadcasts(claims, desktop, told):
    def page(**query):
        answer = desktop.rows(BROADCASTS, **query)
        equal(set(answer), {"messages", "hasMore"})
        return answer["messages"], answer["hasMore"]

    newest_first = {"channel": "kachat-bugs", "limit": 200}
    with claims.claim("L7 a channel's broadcasts, newest first, in the members that the app reads"):
        rows, more = page(**newest_first)
        ours = [row for row in rows if row["senderAddress"] == told.writer.address]
        equal((sorted(_ids(ours)), more), (_of(told.broadcasts), False))
        times = [row["blockTime"] for row in rows]
        equal(times, sorted(times, reverse=True))
        row = next(row for row in rows if row["txId"] == told.broadcasts[0].id)
        equal(row, {"txId": told.broadcasts[0].id, "channel": "kachat-bugs", "senderAddress": told.writer.address,
                    "content": "number 0: with colons", "blockTime": told.broadcasts[0].block_time})
    with claims.claim("L7 before is exclusive"):
        rows, _ = page(**newest_first, before=told.broadcasts[-1].block_time)
        expect({one.id for one in told.broadcasts[-4:]}.isdisjoint(_ids(rows)), "it holds rows of that time")
        expect({one.id for one in told.broadcasts[:-4]} <= set(_ids(rows)), "older ones are missing")
    with claims.claim("L7 paging back over equal block times skips and repeats nothing"):
        pages, more, before = [], True, {}
        while more:
            rows, more = page(channel="kachat-bugs", limit=3, **before)
            expect(rows or not more, "an empty page, and more to come")
            pages.append([row for row in rows if row["senderAddress"] == told.writer.address])
            before = {"before": rows[-1]["blockTime"]} if rows else {}
        _whole(pages, told.broadcasts)
    with claims.claim("L7 an unknown channel is empty"):
        equal(page(channel="nobody-was-here", limit=200), ([], False))
    with claims.claim("L7 content stands as it does on chain, envelopes too"):
        rows, _ = page(channel="kaspa", limit=500)
        content, = [row["content"] for row in rows if row["txId"] == told.reaction.id]
        equal(content.encode(), told.reaction.payload.split(b":", 4)[4])
