"""The lives that are played, in order."""
from lives import allowances, android, browser, chats, lists, phone, broadcasts, ringing, shapes, takeover, vectors

LIVES = [
    # Name, what is played, whether it needs the services.
    ("vectors", vectors.play, False),
    ("phone", phone.play, True),
    ("takeover", takeover.play, True),
    ("android", android.play, True),
    ("shapes", shapes.play, True),
    ("chats", chats.play, True),
    ("broadcasts", broadcasts.play, True),
    ("ringing", ringing.play, True),
    ("lists", lists.play, True),
    ("browser", browser.play, True),
    ("allowances", allowances.play, True),
]
