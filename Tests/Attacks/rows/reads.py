"""Row 1: pages of activity whose filter matches nothing, of an address with very many entries."""
from claims import equal, expect
from honest import Load
from payload import contextual

ENTRIES, SMALL_READS = 6_000, 300


def prepare(services):
    services.busy = services.wallet()
    services.tell(*[[services.chain.message(services.busy, contextual("a", b"busy")) for _ in range(200)]
                    for _ in range(ENTRIES // 200)])


def _page(services, caller, cursor=None):
    query = {"address": services.busy.address, "status": "reverted", "limit": "100"}
    return caller.get("/v1/activity", {**query, **({"cursor": cursor} if cursor else {})})


def small(claims, services):
    with claims.claim("row 1: pages whose filter matches nothing end, each with a cursor that goes on, and none is an error"):
        caller, cursor, pages = services.caller(), None, 0
        while True:
            answer = _page(services, caller, cursor)
            equal(answer.status, 200, str(answer))
            equal(answer.json["items"], [])
            pages += 1
            following = answer.json["next_cursor"]
            equal(answer.json["has_more"], following is not None)
            if not following:
                break
            expect(following != cursor and pages <= ENTRIES, "the cursor does not get on")
            cursor = following
    with claims.claim("row 1: an address that reads on and on is 429 or 503 with Retry-After, or served; nothing else"):
        caller = services.caller()
        for answer in (_page(services, caller) for _ in range(SMALL_READS)):
            expect(answer.status in (200, 429, 503), str(answer))
            expect(answer.status == 200 or int(answer.headers["retry-after"]) >= 1, "no Retry-After")
    with claims.claim("row 1: another address is served meanwhile"):
        equal(_page(services, services.caller()).status, 200)


def load(services):
    callers = [services.caller() for _ in range(8)]
    return Load([lambda caller=caller: _page(services, caller).status for caller in callers])
