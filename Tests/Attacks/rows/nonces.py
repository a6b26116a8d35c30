"""Row 10: very many challenges, which must not push out an honest one."""
from claims import equal
from honest import Load

SMALL_CHALLENGES = 2_000


def prepare(services):
    pass


def small(claims, services):
    with claims.claim(f"row 10: a challenge is good after {SMALL_CHALLENGES} others from many addresses"):
        app = services.app()
        app.watched = [services.wallet().address]
        challenge = app.challenge()
        callers = [services.caller() for _ in range(20)]
        for number in range(SMALL_CHALLENGES):
            callers[number % len(callers)].send("POST", "/v1/push/challenge")
        equal(app.register(challenge=challenge).status, 200)
    with claims.claim("row 10: and it is good once"):
        equal(app.register(challenge=challenge).status, 401)


def load(services):
    callers = [services.caller() for _ in range(100)]

    def ask():
        callers.append(callers.pop(0))
        return callers[0].send("POST", "/v1/push/challenge").status

    return Load([ask] * 4)
