"""An Android phone, up to its refusal."""
from android_app import AndroidApp
from claims import equal, expect


def play(claims, services):
    app = AndroidApp(services.random, services.port, services.host(), services.wallet())
    with claims.claim("R8 platform android is refused with 400 and a sentence in this version"):
        answer = app.register([services.wallet().address])
        equal(answer.status, 400, str(answer))
        expect(isinstance(answer.json.get("error"), str) and answer.json["error"], answer)
